/**
 * Which function of a script is the tool, and the script as plain function text: module syntax is rewritten so that no
 * line and no column of the rest moves, since errors of a run are told by the positions of the file.
 */
import type { Declaration, ExportDefaultDeclaration, ExportNamedDeclaration, Expression, Pattern, Program } from "acorn";

/** Name of the constant that holds a default export without a usable name. */
const DEFAULT_NAME = "$main";

/** The function to call. */
export type EntryName = "main" | typeof DEFAULT_NAME;

/** A fault of a script, by offset. */
export interface EntryFault {
  readonly code: "SYNTAX" | "MAIN_MISSING";
  readonly offset: number;
  readonly message: string;
}

/** The rewritten text and its entry, or the first fault. */
export type EntryOutcome =
  | { readonly ok: true; readonly source: string; readonly entry: EntryName }
  | { readonly ok: false; readonly fault: EntryFault };

/** A piece of text that replaces the characters from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Finds the entry of a parsed script, which imports nothing, and takes its module syntax out. */
export function findEntry(source: string, program: Program): EntryOutcome {
  const edits: Edit[] = source.startsWith("#!") ? [{ start: 0, end: 2, text: "//" }] : [];
  let main: "function" | "other" | "none" = "none";
  let isDefault = false;
  let entry: EntryName = "main";
  for (const statement of program.body) {
    switch (statement.type) {
      case "ExportNamedDeclaration": {
        const fault = exportFault(statement);
        if (fault !== undefined) return { ok: false, fault };
        edits.push(blank(statement.start, "export"));
        if (statement.declaration) main = mainOf(statement.declaration) ?? main;
        break;
      }
      case "ExportDefaultDeclaration": {
        const rewritten = rewriteDefault(source, statement);
        if ("fault" in rewritten) return { ok: false, fault: rewritten.fault };
        edits.push(...rewritten.edits);
        entry = rewritten.entry;
        isDefault = true;
        break;
      }
      case "FunctionDeclaration":
      case "VariableDeclaration":
      case "ClassDeclaration":
        main = mainOf(statement) ?? main;
        break;
      default:
        break;
    }
  }
  if (!isDefault && main !== "function") return mainMissing(main, source);
  return { ok: true, source: applyEdits(source, edits), entry };
}

/** True if the declaration gives `main` a function; "other" if something that cannot be called; undefined if it is not about `main`. */
function mainOf(declaration: Declaration): "function" | "other" | undefined {
  switch (declaration.type) {
    case "FunctionDeclaration":
      if (declaration.id.name !== "main") return undefined;
      return declaration.generator ? "other" : "function";
    case "ClassDeclaration":
      return declaration.id.name === "main" ? "other" : undefined;
    case "VariableDeclaration": {
      const declarator = declaration.declarations.findLast(({ id }) => namesOf(id).includes("main"));
      if (declarator === undefined) return undefined;
      return declarator.init && !canBeFunction(declarator.init) ? "other" : "function";
    }
    default:
      return undefined;
  }
}

/** Names a pattern binds, as far as they stand directly in it. */
function namesOf(pattern: Pattern): readonly string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) => (property.type === "Property" ? namesOf(property.value) : []));
    default:
      return [];
  }
}

/** False for expressions whose value is plainly no function. */
function canBeFunction(expression: Expression): boolean {
  switch (expression.type) {
    case "FunctionExpression":
      return !expression.generator;
    case "ArrayExpression":
    case "ObjectExpression":
    case "ClassExpression":
    case "Literal":
    case "TemplateLiteral":
      return false;
    default:
      return true;
  }
}

function rewriteDefault(
  source: string,
  statement: ExportDefaultDeclaration,
): { readonly edits: readonly Edit[]; readonly entry: EntryName } | { readonly fault: EntryFault } {
  const { declaration, start } = statement;
  // Between the two words may stand comments and line breaks; they stay.
  const defaultStart = start + "export".length + wordOffset(source.slice(start + "export".length, declaration.start), "default");
  const notFunction = {
    code: "MAIN_MISSING",
    offset: declaration.start,
    message: "The default export is not a function that can be called.",
  } as const;
  if (declaration.type === "ClassDeclaration") return { fault: notFunction };
  if (declaration.type === "FunctionDeclaration") {
    if (declaration.generator) return { fault: notFunction };
    if (declaration.id !== null) {
      const removed = [blank(start, "export"), blank(defaultStart, "default")];
      if (declaration.id.name === "main") return { edits: removed, entry: "main" };
      // The function keeps its own name, which the rest of the script may use.
      const alias: Edit = { start: source.length, end: source.length, text: `\nconst ${DEFAULT_NAME} = ${declaration.id.name};` };
      return { edits: [...removed, alias], entry: DEFAULT_NAME };
    }
  } else if (!canBeFunction(declaration)) return { fault: notFunction };
  const assigned: Edit[] = [
    { start, end: start + "export".length, text: "const " },
    { start: defaultStart, end: defaultStart + "default".length, text: `${DEFAULT_NAME} =` },
  ];
  if (declaration.type === "FunctionDeclaration") assigned.push(endStatement(source, declaration.end));
  return { edits: assigned, entry: DEFAULT_NAME };
}

/** A function expression, unlike the declaration it was, goes on with a "(" on the next line unless a semicolon ends it. */
function endStatement(source: string, end: number): Edit {
  const next = source[end];
  // Taking a blank's place moves nothing; at the end of a line there is nothing to move.
  return { start: end, end: next === " " || next === "\t" || next === ";" ? end + 1 : end, text: ";" };
}

/** Offset of a word outside of comments. */
function wordOffset(text: string, word: string): number {
  const withoutComments = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n\r\u2028\u2029]*/g, (comment) => " ".repeat(comment.length));
  return withoutComments.indexOf(word);
}

function exportFault(statement: ExportNamedDeclaration): EntryFault | undefined {
  if (statement.declaration) return undefined;
  const message = 'Lists of exports are not read. Name the function "main", or put "export default" before it.';
  return { code: "SYNTAX", offset: statement.start, message };
}

function mainMissing(main: "other" | "none", source: string): EntryOutcome {
  const message =
    main === "other"
      ? '"main" is not a function that can be called. Write "async function main() { … }".'
      : 'The script defines no main(). Write "async function main() { … }" or "export default async function () { … }".';
  return { ok: false, fault: { code: "MAIN_MISSING", offset: source.length - source.trimStart().length, message } };
}

function blank(start: number, word: string): Edit {
  return { start, end: start + word.length, text: " ".repeat(word.length) };
}

function applyEdits(source: string, edits: readonly Edit[]): string {
  let result = "";
  let done = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    result += source.slice(done, start) + text;
    done = end;
  }
  return result + source.slice(done);
}
