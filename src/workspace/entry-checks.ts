/** What the types of tools.json cannot say: names, headers, hosts, templates and characters nobody sees. */
import { messageOf, ToolError } from "../core/errors.ts";
import { parseHostPattern } from "../core/host-pattern.ts";
import { isConnectionHeader } from "../core/http-header.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Place, Problem } from "../core/problem.ts";
import { holdsTemplate } from "../core/secret-template.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";
import { hiddenTextProblems } from "./hidden-text.ts";
import { withoutSourceLine } from "./position.ts";
import { below, problemAt, type Spot } from "./zod-problems.ts";

/** A header or query parameter as written; whoever sends it reads its templates. */
export interface AddedEntry {
  readonly name: string;
  readonly value: string;
  /** Hosts that get it; absent: every host the tool may reach. */
  readonly hosts?: readonly string[];
  /** False: one of the same name set by the script is an error instead of being replaced. */
  readonly replaceExisting: boolean;
  /** Where it is written; without the text of the line, which may hold what should have been a secret. */
  readonly place: Place;
}

/** What was read, with what is wrong with it. */
export interface Checked<Value> {
  readonly value: Value;
  readonly problems: readonly Problem[];
}

/** Names the server lists itself, in lower case. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  "getworkspacetools",
  "executeworkspacetool",
  "reloadworkspacetools",
  "readworkspaceresult",
  "getwakes",
  "workspacejobs",
]);

/** True for a name the server lists itself, compared without regard to case. */
export function isReservedName(name: string): boolean {
  return RESERVED_NAMES.has(name.toLowerCase());
}

/** A reserved name, or one with characters nobody sees. */
export function checkNames(name: JsonValue | undefined, spot: Spot): readonly Problem[] {
  if (typeof name !== "string") return [];
  const place = below(spot, "name");
  const { refused, warned } = findHiddenCharacters(name);
  const hidden = [...refused, ...warned];
  if (hidden.length > 0) {
    return [
      problemAt(place, { code: "HIDDEN_CHARACTERS", message: `"name" has invisible characters (${hidden.join(", ")}). Type it anew.` }),
    ];
  }
  if (!isReservedName(name)) return [];
  return [problemAt(place, { code: "RESERVED_NAME", message: `"${name}" is a name the server itself uses. Choose another one.` })];
}

/** Invisible characters in what a model reads of an entry: those that hide text are errors, the others warnings. */
export function checkHiddenText(entry: JsonObject, spot: Spot): readonly Problem[] {
  return hiddenTextProblems(entry, ["title", "description", "parameters", "output", "annotations"], spot);
}

/** Headers of an entry, with names no connection depends on and hosts that can be matched. */
export function checkHeaders(headers: JsonValue | undefined, spot: Spot): Checked<readonly AddedEntry[]> {
  const { value, problems } = checkAdded(headers, spot);
  const seen = new Set<string>();
  const faults = value.flatMap(({ name }): readonly Problem[] => {
    const place = below(spot, name);
    const lower = name.toLowerCase();
    const isTwice = seen.has(lower);
    seen.add(lower);
    const message = `"${name}" stands twice in "headers", compared without regard to case; keep one of the two.`;
    return [
      ...(isConnectionHeader(name)
        ? [problemAt(place, { code: "INVALID_VALUE", message: `"${name}" belongs to the connection and cannot be set.`, part: "key" })]
        : []),
      ...(isTwice ? [problemAt(place, { code: "DUPLICATE_KEY", message, part: "key" })] : []),
    ];
  });
  return { value, problems: [...faults, ...problems] };
}

/** Query parameters of an entry; their names are compared as they are, and hold no templates. */
export function checkQuery(query: JsonValue | undefined, spot: Spot): Checked<readonly AddedEntry[]> {
  const { value, problems } = checkAdded(query, spot);
  const faults = value.filter(({ name }) => holdsTemplate(name)).map(({ name }) => templateProblem(below(spot, name)));
  return { value, problems: [...faults, ...problems] };
}

function checkAdded(written: JsonValue | undefined, spot: Spot): Checked<readonly AddedEntry[]> {
  const value: AddedEntry[] = [];
  const problems: Problem[] = [];
  if (!isJsonObject(written)) return { value, problems };
  for (const [name, item] of Object.entries(written)) {
    const place = below(spot, name);
    const detail: JsonObject = isJsonObject(item) ? item : { value: item };
    const hosts = checkHosts(detail.hosts, below(place, "hosts"));
    problems.push(...hosts.problems);
    value.push({
      name,
      value: typeof detail.value === "string" ? detail.value : "",
      ...(detail.hosts === undefined ? {} : { hosts: hosts.hosts }),
      replaceExisting: detail.replaceExisting !== false,
      place: withoutSourceLine(place.document.placeOf(place.path, "key")),
    });
  }
  return { value, problems };
}

/** Hosts as written, each of a form that the one matcher reads. */
export function checkHosts(
  value: JsonValue | undefined,
  spot: Spot,
): { readonly hosts: readonly string[]; readonly problems: readonly Problem[] } {
  const hosts = Array.isArray(value) ? value.filter((host) => typeof host === "string") : [];
  const problems = hosts.flatMap((host, index) => {
    const place = below(spot, index);
    if (holdsTemplate(host)) return [templateProblem(place)];
    const fault = hostFault(host);
    return fault === undefined ? [] : [problemAt(place, { code: "HOST_PATTERN", message: fault })];
  });
  return { hosts, problems };
}

/** A template where none is filled in would be sent as it stands, or tell a script the name of a secret for nothing. */
export function checkTemplates(value: JsonValue | undefined, spot: Spot): readonly Problem[] {
  if (value === undefined) return [];
  if (typeof value === "string") return holdsTemplate(value) ? [templateProblem(spot)] : [];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue, index) => checkTemplates(item, below(spot, index)));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...(holdsTemplate(key) ? [templateProblem(below(spot, key))] : []),
    ...checkTemplates(item, below(spot, key)),
  ]);
}

function templateProblem(spot: Spot): Problem {
  return problemAt(spot, {
    code: "TEMPLATE_PLACE",
    message: 'A secret stands here by its template, but only "headers", "query" and "auth" are filled in; scripts never get secrets.',
    mend: 'Move the template into "headers" or "query" of the tool.',
  });
}

function hostFault(host: string): string | undefined {
  try {
    parseHostPattern(host, { kind: "allowed" });
    return undefined;
  } catch (error) {
    if (error instanceof ToolError) return messageOf(error);
    throw error;
  }
}
