/**
 * A finding about a file: what is wrong, where, and how to mend it. Made by the workspace loader and by the probes of
 * `check` and `doctor`; shown by GetWorkspaceTools, the log, the reload answer and the command line.
 */

/** Codes of findings, with their meaning; docs/findings.md is generated from this table. */
export const FINDING_CODES = {
  FILE_MISSING: "A file that is needed is not there.",
  FILE_UNREADABLE: "A file exists but cannot be read.",
  FILE_TOO_LARGE: "A file is over its limit.",
  JSON_SYNTAX: "A JSON file does not parse.",
  FILE_VERSION: "A file has a newer format than this version reads.",
  INVALID_VALUE: "A key has a value of the wrong type or out of range.",
  MISSING_KEY: "A required key is missing.",
  UNKNOWN_KEY: "A key is not known here; it is ignored.",
  DUPLICATE_KEY: "A key stands twice in one object.",
  DUPLICATE_NAME: "Two tools or prompts have the same name, compared without regard to case, or two resources the same URI.",
  RESERVED_NAME: "A tool has a name the server itself uses.",
  PATH_OUTSIDE: "A path leaves the workspace, or is of a form that is refused on every platform.",
  SCHEMA_INVALID: "A JSON Schema is malformed or not supported.",
  SCHEMA_KEYWORD: "A keyword in a JSON Schema is not known in the dialect that the schema names; it is not checked.",
  PATTERN_SLOW: "A pattern in a JSON Schema takes no fixed time; it is tried within limits only.",
  SYNTAX: "A script does not parse.",
  MAIN_MISSING: "A script defines no main() and has no default export.",
  IMPORT_MISSING: "An import leads to no file of the workspace and no package of its node_modules.",
  IMPORT_OUTSIDE: "An import leads out of the workspace, or into a hidden folder of it. Nothing of the file was read.",
  IMPORT_UNSUPPORTED: "A script imports what cannot be there: a module of Node, native code, an address, a kind of file that is not read.",
  BUNDLE: "A script could not be put together with its imports, for a reason that lies in no single file.",
  BUNDLING: "A new script is just being put together with its imports. Its tool is listed already, and a call of it waits.",
  HARDENED_REALM: 'A package that a script imports cannot live in isolation "tool". Set "isolation": "call" for the tool.',
  TIMEOUT_RANGE: "A time limit is over the maximum; the maximum is used.",
  LIMIT_RANGE: "A limit is out of its range.",
  TEMPLATE_PLACE: "A secret template stands where none is filled in.",
  TEMPLATE_LITERAL: "Text looks like a secret template but is none; it is sent as it stands.",
  HOST_PATTERN: "A host is written in a form that is not accepted.",
  HIDDEN_CHARACTERS: "A name or description has invisible characters.",
  SECRET_MISSING: "A secret that a tool names is not stored.",
  SECRET_UNNAMED: '"secrets" of an agent puts another secret behind a name that no tool names; it has no effect.',
  SECRET_BINDING: "A tool would carry a secret to a host or in a place that the secret is not bound to; such requests are refused.",
  SECRET_VALUE: "The value of a stored secret cannot stand where a tool names it. Told by secrets check, which opens the vault.",
  AGENTS_LOST: "The workspace had agents and defines none now, so nobody may use it.",
  NOT_TRUSTED: "The workspace asks for something that is off until a person trusts it.",
  VAULT: "The vault cannot be opened.",
  WATCH: "Changes of the folder may not be noticed.",
  NODE: "The Node version, platform or environment does not fit.",
  SANDBOX: "The sandbox does not start or does not hold.",
  HOME: "Toolyard's own folder cannot be used, or others on this machine can read or change it.",
  STDOUT: "Something writes to stdout that is not MCP; clients would drop the connection.",
  CLIENT_REFUSES:
    "A client refuses a tool in the form in which it is published, or cannot reach it. docs/client-rules.md says where each rule is from.",
  CLIENT_CONFIG: "A client's configuration starts toolyard in a way that does not work here.",
  SLOW_REALM: 'A script of isolation "tool" used so much CPU that isolation "call" may be quicker for it.',
  WORKSPACE_ID: "The identity of the workspace does not agree with what was recorded.",
} as const;

/** A code of the table. */
export type FindingCode = keyof typeof FINDING_CODES;

/** True for a code of the table. */
export function isFindingCode(text: string): text is FindingCode {
  return Object.hasOwn(FINDING_CODES, text);
}

/**
 * Where a finding is. `line` and `column` count from 1, columns in UTF-16 units; `sourceLine` is the text of that line, `before`
 * and `after` those beside it, which are there for scripts only.
 */
export type Place =
  | { readonly kind: "none" }
  | { readonly kind: "file"; readonly file: string }
  | {
      readonly kind: "position";
      readonly file: string;
      readonly line: number;
      readonly column: number;
      readonly sourceLine: string;
      readonly before?: string;
      readonly after?: string;
    };

/** One finding. */
export interface Problem {
  readonly code: FindingCode;
  readonly severity: "error" | "warning";
  readonly place: Place;
  readonly message: string;
  /** The tool it is about, if it is about one. */
  readonly tool?: string;
  /** The prompt or resource it is about, such as `prompt "review"`. */
  readonly offer?: string;
  /** What to do, as a command or a sentence. */
  readonly mend?: string;
}

/** `file:line:column`, as far as known. */
export function placeText(place: Place): string {
  switch (place.kind) {
    case "none":
      return "";
    case "file":
      return place.file;
    case "position":
      return `${place.file}:${place.line}:${place.column}`;
  }
}

/** Place and message; a message that begins with the name of its file needs no place before it. */
export function placedMessage({ place, message }: Pick<Problem, "place" | "message">, separator = " "): string {
  const where = placeText(place);
  return where === "" || message.startsWith(`${where} `) ? message : `${where}${separator}${message}`;
}

/** Place, message and what to do, as one or more whole sentences. */
export function problemText(problem: Problem): string {
  const { message, mend } = problem;
  const text = asSentence(placedMessage(problem));
  if (mend === undefined || message.includes(mend)) return text;
  // A command is one only as it stands: a period after it would be its last argument's.
  return /^[A-Z]/.test(mend) ? `${text} ${asSentence(mend)}` : `${text} To mend it, run "${mend}".`;
}

function asSentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

/** What is said beside tools that are not what the files say now, because these cannot be read. */
export function lastGoodNote(unreadable: Problem): string {
  return `The workspace cannot be read as it is now; what it said last stays in service. ${problemText(unreadable)}`;
}

/** A problem as plain JSON, the form in which GetWorkspaceTools and error data show it. */
export function problemData(problem: Problem): Readonly<Record<string, string | number>> {
  const { place } = problem;
  return {
    code: problem.code,
    severity: problem.severity,
    message: problem.message,
    ...(problem.tool === undefined ? {} : { tool: problem.tool }),
    ...(problem.offer === undefined ? {} : { offer: problem.offer }),
    ...(place.kind === "none" ? {} : { file: place.file }),
    ...(place.kind === "position" ? { line: place.line, column: place.column, ...excerptData(place) } : {}),
    ...(problem.mend === undefined ? {} : { mend: problem.mend }),
  };
}

/** Three lines of a script; of other files no line is told, since it may hold a key. */
function excerptData(place: Extract<Place, { kind: "position" }>): { readonly excerpt?: string } {
  if (place.before === undefined && place.after === undefined) return {};
  return { excerpt: excerptText(place) };
}

/** Longest line of an excerpt, in UTF-16 units; of a longer one the part around the place is shown. */
const EXCERPT_WIDTH = 120;

/** The line of a place with those before and after it, each with its number, and a mark before the line itself. */
export function excerptText({
  line,
  column,
  sourceLine,
  before,
  after,
}: Omit<Extract<Place, { kind: "position" }>, "kind" | "file">): string {
  const width = String(line + 1).length;
  const start = Math.max(0, column - 1 - EXCERPT_WIDTH / 2);
  const lines = [
    { number: line - 1, text: before },
    { number: line, text: sourceLine },
    { number: line + 1, text: after },
  ];
  return lines
    .flatMap(({ number, text }) => {
      if (text === undefined) return [];
      const cut = text.length <= EXCERPT_WIDTH ? text : text.slice(start, start + EXCERPT_WIDTH);
      return [`${number === line ? ">" : " "} ${String(number).padStart(width)} | ${cut}`.trimEnd()];
    })
    .join("\n");
}
