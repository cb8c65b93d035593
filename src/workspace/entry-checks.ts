/** What the types of tools.json cannot say: names, headers, hosts, templates and characters nobody sees. */
import { messageOf, ToolError } from "../core/errors.ts";
import { parseHostPattern } from "../core/host-pattern.ts";
import { isConnectionHeader } from "../core/http-header.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Place, Problem } from "../core/problem.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";
import { withoutSourceLine } from "./position.ts";
import { below, problemAt, type Spot } from "./zod-problems.ts";

/** A header as written; whoever sends it reads its templates. */
export interface HeaderEntry {
  readonly name: string;
  readonly value: string;
  /** Hosts that get it; absent: every host the tool may reach. */
  readonly hosts?: readonly string[];
  /** False: a header of the same name set by the script is an error instead of being replaced. */
  readonly replaceExisting: boolean;
  /** Where the header is written; without the text of the line, which may hold what should have been a secret. */
  readonly place: Place;
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

/** A template for a secret, in either spelling. */
const TEMPLATE = /\{\{\s*[A-Z][A-Z0-9_]{0,63}\s*\}\}|<<\s*[A-Z][A-Z0-9_]{0,63}\s*>>/;

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
  const problems: Problem[] = [];
  for (const field of ["title", "description", "parameters", "output"] as const) {
    const value = entry[field];
    if (value === undefined) continue;
    const { refused, warned } = findHiddenCharacters(textsOf(value).join("\n"));
    const place = below(spot, field);
    if (refused.length > 0) {
      const message = `"${field}" hides text from people by invisible characters (${refused.join(", ")}). Remove them.`;
      problems.push(problemAt(place, { code: "HIDDEN_CHARACTERS", message }));
    } else if (warned.length > 0) {
      const message = `"${field}" has invisible characters (${warned.join(", ")}).`;
      problems.push(problemAt(place, { code: "HIDDEN_CHARACTERS", severity: "warning", message }));
    }
  }
  return problems;
}

/** Headers of an entry, with names no connection depends on and hosts that can be matched. */
export function checkHeaders(
  headers: JsonValue | undefined,
  spot: Spot,
): { readonly entries: readonly HeaderEntry[]; readonly problems: readonly Problem[] } {
  const entries: HeaderEntry[] = [];
  const problems: Problem[] = [];
  if (!isJsonObject(headers)) return { entries, problems };
  const seen = new Set<string>();
  for (const [name, written] of Object.entries(headers)) {
    const place = below(spot, name);
    const lower = name.toLowerCase();
    if (isConnectionHeader(name)) {
      problems.push(
        problemAt(place, { code: "INVALID_VALUE", message: `"${name}" belongs to the connection and cannot be set.`, part: "key" }),
      );
    }
    if (seen.has(lower)) {
      const message = `"${name}" stands twice in "headers", compared without regard to case; keep one of the two.`;
      problems.push(problemAt(place, { code: "DUPLICATE_KEY", message, part: "key" }));
    }
    seen.add(lower);
    const detail: JsonObject = isJsonObject(written) ? written : { value: written };
    const hosts = checkHosts(detail.hosts, below(place, "hosts"));
    problems.push(...hosts.problems);
    entries.push({
      name,
      value: typeof detail.value === "string" ? detail.value : "",
      ...(detail.hosts === undefined ? {} : { hosts: hosts.hosts }),
      replaceExisting: detail.replaceExisting !== false,
      place: withoutSourceLine(place.document.placeOf(place.path, "key")),
    });
  }
  return { entries, problems };
}

/** Hosts as written, each of a form that the one matcher reads. */
export function checkHosts(
  value: JsonValue | undefined,
  spot: Spot,
): { readonly hosts: readonly string[]; readonly problems: readonly Problem[] } {
  const hosts = Array.isArray(value) ? value.filter((host) => typeof host === "string") : [];
  const problems = hosts.flatMap((host, index) => {
    const place = below(spot, index);
    if (TEMPLATE.test(host)) return [templateProblem(place)];
    const fault = hostFault(host);
    return fault === undefined ? [] : [problemAt(place, { code: "HOST_PATTERN", message: fault })];
  });
  return { hosts, problems };
}

/** A template where none is filled in would be sent as it stands, or tell a script the name of a secret for nothing. */
export function checkTemplates(value: JsonValue | undefined, spot: Spot): readonly Problem[] {
  if (value === undefined) return [];
  if (typeof value === "string") return TEMPLATE.test(value) ? [templateProblem(spot)] : [];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue, index) => checkTemplates(item, below(spot, index)));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...(TEMPLATE.test(key) ? [templateProblem(below(spot, key))] : []),
    ...checkTemplates(item, below(spot, key)),
  ]);
}

function templateProblem(spot: Spot): Problem {
  return problemAt(spot, {
    code: "TEMPLATE_PLACE",
    message: "A secret stands here by its template, but only headers are filled in; scripts never get secrets.",
    mend: 'Move the template into "headers" of the tool.',
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

/** Every text in a value, keys included. */
function textsOf(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => textsOf(item));
  return isJsonObject(value) ? Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)]) : [];
}
