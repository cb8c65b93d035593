/** What zod reports about a file, as findings with places. */
import { z } from "zod";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import type { Problem } from "../core/problem.ts";
import { cutText, nearestName } from "../core/text.ts";
import type { JsonDocument, JsonPath } from "./json-document.ts";
import { withoutSourceLine } from "./position.ts";

/** Where in a document a schema was applied, and for which tool. */
export interface Spot {
  readonly document: JsonDocument;
  readonly path: JsonPath;
  readonly tool?: string;
}

/** Longest value shown in a message. */
const SHOWN_CHARACTERS = 60;

/** Keys whose values are never shown: somebody may have written a key or token there instead of a template. */
const SECRETIVE_KEYS: ReadonlySet<string | number> = new Set(["headers", "config", "secrets"]);

/** The same for fields of a tool or of `defaults`; deeper in, a parameter of a tool may well be called "query". */
const SECRETIVE_FIELDS: ReadonlySet<string | number | undefined> = new Set(["query", "auth"]);

/** The findings for a value that does not fit; all are errors. */
export function problemsOf(error: z.ZodError, spot: Spot): readonly Problem[] {
  return error.issues.map((issue) => problemOf(issue, spot));
}

/** Keys the schema does not know, at any depth it describes; each is a warning with the nearest known key. */
export function unknownKeys(schema: unknown, value: JsonValue, spot: Spot): readonly Problem[] {
  const plain = unwrap(schema, value);
  if (plain instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item: JsonValue, index) => unknownKeys(plain.element, item, below(spot, index)));
  }
  if (!isJsonObject(value)) return [];
  if (plain instanceof z.ZodRecord) {
    return Object.entries(value).flatMap(([key, item]) => unknownKeys(plain.valueType, item, below(spot, key)));
  }
  if (!(plain instanceof z.ZodObject)) return [];
  const known = Object.keys(plain.shape);
  return Object.entries(value).flatMap(([key, item]) => {
    if (known.includes(key)) return unknownKeys(plain.shape[key], item, below(spot, key));
    return key.startsWith("x-") ? [] : [unknownKey(key, known, below(spot, key))];
  });
}

/** A key path as it is shown: `limits.memoryMb`. */
function keyText(path: JsonPath): string {
  return path.map((part) => cutText(String(part), SHOWN_CHARACTERS)).join(".");
}

/** The spot one key further in. */
export function below(spot: Spot, key: string | number): Spot {
  return { ...spot, path: [...spot.path, key] };
}

/** A finding at a spot, with its tool. */
export function problemAt(
  spot: Spot,
  {
    code,
    severity = "error",
    message,
    mend,
    part = "value",
  }: Pick<Problem, "code" | "message"> & {
    readonly severity?: Problem["severity"];
    readonly mend?: string;
    readonly part?: "key" | "value";
  },
): Problem {
  const { document, path, tool } = spot;
  const place = document.placeOf(path, part);
  return {
    code,
    severity,
    place: isSecretive(path) ? withoutSourceLine(place) : place,
    message,
    ...(tool === undefined ? {} : { tool }),
    ...(mend === undefined ? {} : { mend }),
  };
}

function unknownKey(key: string, known: readonly string[], spot: Spot): Problem {
  const nearest = nearestName(key, known);
  const shown = cutText(key, SHOWN_CHARACTERS);
  const message = `"${shown}" is not a key here; ${nearest === undefined ? "it is ignored." : `did you mean "${nearest}"?`}`;
  return problemAt(spot, { code: "UNKNOWN_KEY", severity: "warning", message, part: "key" });
}

function unwrap(schema: unknown, value: JsonValue): unknown {
  if (schema instanceof z.ZodOptional) return unwrap(schema.unwrap(), value);
  if (!(schema instanceof z.ZodUnion)) return schema;
  const wanted = Array.isArray(value) ? z.ZodArray : z.ZodObject;
  return schema.options.find((option) => option instanceof wanted);
}

function problemOf(issue: z.core.$ZodIssue, spot: Spot): Problem {
  const chosen = issue.code === "invalid_union" ? nearestBranch(issue, spot) : undefined;
  if (chosen !== undefined) return problemOf({ ...chosen, path: [...issue.path, ...chosen.path] }, spot);
  const keys = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const { document, path, tool } = spot;
  const place: Spot = { document, path: [...path, ...keys], ...(tool === undefined ? {} : { tool }) };
  const name = keyText(place.path.slice(shownFrom(path)));
  const expected = expectation(issue);
  if (issue.code === "invalid_key") {
    return problemAt(place, { code: "INVALID_VALUE", message: `"${name}" must be ${expected}.`, part: "key" });
  }
  if (!document.has(place.path)) return problemAt(place, { code: "MISSING_KEY", message: `"${name}" is missing; expected ${expected}.` });
  const found = isSecretive(place.path) ? "" : `; found ${shown(valueAt(document.value, place.path))}`;
  const subject = name === "" ? "This" : `"${name}"`;
  return problemAt(place, { code: "INVALID_VALUE", message: `${subject} must be ${expected}${found}.` });
}

/** Lists whose entries say their own name. */
const ENTRY_LISTS: readonly (string | number | undefined)[] = ["tools", "prompts", "resources"];

/** Of a tool's field the path is shown from the tool on: `limits.memoryMb`, not `tools.3.limits.memoryMb`. */
function shownFrom(path: JsonPath): number {
  return ENTRY_LISTS.includes(path[0]) && typeof path[1] === "number" ? 2 : 0;
}

/** The branch of a union that fits the kind of value, if its fault lies deeper than that. */
function nearestBranch(issue: Extract<z.core.$ZodIssue, { code: "invalid_union" }>, spot: Spot): z.core.$ZodIssue | undefined {
  const value = valueAt(spot.document.value, [...spot.path, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))]);
  const branches = issue.errors.map((errors) => errors[0]).filter((first) => first !== undefined);
  const isWrongKind = (branch: z.core.$ZodIssue): boolean => branch.code === "invalid_type" && branch.path.length === 0;
  return branches.find((branch) => !isWrongKind(branch)) ?? (isJsonObject(value) ? branches[1] : branches[0]);
}

/** Every schema of ours says in its message what it expects. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? "a valid key";
  if (issue.code === "invalid_value") return issue.values.map((value) => JSON.stringify(value)).join(" or ");
  return issue.message;
}

function isSecretive(path: JsonPath): boolean {
  return path.some((part) => SECRETIVE_KEYS.has(part)) || SECRETIVE_FIELDS.has(path[0] === "defaults" ? path[1] : path[2]);
}

function shown(value: JsonValue | undefined): string {
  if (isJsonObject(value)) return "an object";
  if (Array.isArray(value)) return "a list";
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHOWN_CHARACTERS ? `${cutText(text, SHOWN_CHARACTERS)}…` : text;
}

function valueAt(value: JsonValue, path: JsonPath): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const key of path) {
    if (Array.isArray(current)) current = current[Number(key)];
    else if (isJsonObject(current) && Object.hasOwn(current, key)) current = current[String(key)];
    else return undefined;
  }
  return current;
}
