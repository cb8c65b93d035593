/** One entry of `tools` in tools.json, as a typed value or as the findings that set it aside. */
import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import type { Place, Problem } from "../core/problem.ts";
import type { ToolAnnotations } from "../core/tool.ts";
import type { SchemaIssue } from "../schema/schema-check.ts";
import { pointerKeys } from "../schema/schema-walk.ts";
import { type AuthEntry, checkAuth } from "./auth-entry.ts";
import { type AddedEntry, checkHeaders, checkHiddenText, checkHosts, checkNames, checkQuery, checkTemplates } from "./entry-checks.ts";
import type { JsonPath } from "./json-document.ts";
import { capLimits, type LimitChoices } from "./limits-in-force.ts";
import { plainScriptPath, scriptPathFault } from "./script-path.ts";
import { toolEntrySchema } from "./tools-schema.ts";
import { below, problemAt, problemsOf, type Spot, unknownKeys } from "./zod-problems.ts";

/** A time limit as written, in milliseconds, with the place it was written at. */
export interface WrittenTimeout {
  readonly timeoutMs: number;
  readonly place: Place;
}

/** Fields that an entry has, or takes from `defaults`. */
export interface SharedFields {
  readonly timeout?: WrittenTimeout;
  readonly headers?: readonly AddedEntry[];
  readonly query?: readonly AddedEntry[];
  readonly auth?: AuthEntry;
  readonly allowedHosts?: readonly string[];
  readonly limits: LimitChoices;
  readonly config: JsonObject;
}

/** An entry that holds by itself; its script is not read yet. */
export interface ToolEntry extends SharedFields {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** Path relative to the workspace, "/" between folders. */
  readonly script: string;
  readonly scriptPlace: Place;
  readonly parameters: JsonObject;
  readonly output?: JsonObject | boolean;
  readonly annotations?: ToolAnnotations;
  readonly isolation?: "tool" | "call";
  readonly repair?: boolean;
  readonly place: Place;
}

/** Outcome for one entry. `problems` of a good entry are warnings. */
export type EntryOutcome =
  | { readonly kind: "good"; readonly entry: ToolEntry; readonly problems: readonly Problem[] }
  | { readonly kind: "broken"; readonly name: string; readonly description: string; readonly problems: readonly Problem[] };

/** What judging an entry needs from outside. */
export interface EntryContext {
  /** Limits of the server, before the workspace's own. */
  readonly base: Limits;
  readonly checkSchema: (schema: JsonValue, name: "parameters" | "output") => readonly SchemaIssue[];
}

/** Reads the entry at a spot (`tools`, index); `faults` are those the JSON reader found inside it. */
export function parseToolEntry(
  value: JsonValue,
  spot: Spot,
  { base, checkSchema }: EntryContext,
  faults: readonly Problem[],
): EntryOutcome {
  const raw = isJsonObject(value) ? value : {};
  const name = typeof raw.name === "string" ? raw.name : `tools[${String(spot.path[1])}]`;
  const named: Spot = { ...spot, tool: name };
  const parsed = toolEntrySchema.safeParse(value);
  const problems = [...faults.map((fault) => ({ ...fault, tool: name })), ...checkNames(raw.name, named)];
  if (!parsed.success) problems.push(...problemsOf(parsed.error, named).filter((problem) => !isToldAlready(problem, problems)));
  problems.push(...unknownKeys(toolEntrySchema, value, named));
  const description = typeof raw.description === "string" ? raw.description : "";
  if (!parsed.success) return { kind: "broken", name, description, problems };
  const { data } = parsed;
  const shared = parseSharedFields(data, raw, named, base);
  problems.push(...shared.problems, ...checkScriptPath(data.script, named), ...checkHiddenText(raw, named));
  for (const field of ["parameters", "output"] as const) {
    if (raw[field] !== undefined) problems.push(...schemaProblems(raw[field], field, named, checkSchema));
  }
  if (problems.some(({ severity }) => severity === "error")) return { kind: "broken", name, description, problems };
  const output = isJsonObject(raw.output) || typeof raw.output === "boolean" ? raw.output : undefined;
  const { document, path } = spot;
  const entry: ToolEntry = {
    ...shared.fields,
    name,
    description,
    script: plainScriptPath(data.script),
    scriptPlace: document.placeOf([...path, "script"]),
    parameters: isJsonObject(raw.parameters) ? raw.parameters : { type: "object", properties: {} },
    place: document.placeOf(path),
    ...(data.title === undefined ? {} : { title: data.title }),
    ...(output === undefined ? {} : { output }),
    ...(data.annotations === undefined ? {} : { annotations: withoutUndefined(data.annotations) }),
    ...(data.isolation === undefined ? {} : { isolation: data.isolation }),
    ...(data.repair === undefined ? {} : { repair: data.repair }),
  };
  return { kind: "good", entry, problems };
}

/** The fields that an entry and `defaults` have in common, checked beyond their types. */
export function parseSharedFields(
  data: { readonly timeout?: number | undefined; readonly limits?: Readonly<Record<string, unknown>> | undefined },
  raw: JsonObject,
  spot: Spot,
  base: Limits,
): { readonly fields: SharedFields; readonly problems: readonly Problem[] } {
  const headers = checkHeaders(raw.headers, below(spot, "headers"));
  const query = checkQuery(raw.query, below(spot, "query"));
  const auth = checkAuth(raw.auth, below(spot, "auth"));
  const hosts = checkHosts(raw.allowedHosts, below(spot, "allowedHosts"));
  const capped = capLimits(data.limits ?? {}, base, { spot: below(spot, "limits") });
  const timeout =
    data.timeout === undefined
      ? undefined
      : { timeoutMs: Math.ceil(data.timeout * 1_000), place: spot.document.placeOf([...spot.path, "timeout"]) };
  return {
    fields: {
      limits: capped.limits,
      config: isJsonObject(raw.config) ? raw.config : {},
      ...(timeout === undefined ? {} : { timeout }),
      ...(raw.headers === undefined ? {} : { headers: headers.value }),
      ...(raw.query === undefined ? {} : { query: query.value }),
      ...(auth.value === undefined ? {} : { auth: auth.value }),
      ...(raw.allowedHosts === undefined ? {} : { allowedHosts: hosts.hosts }),
    },
    problems: [
      ...headers.problems,
      ...query.problems,
      ...auth.problems,
      ...hosts.problems,
      ...capped.problems,
      ...checkTemplates(raw.config, below(spot, "config")),
    ],
  };
}

/** A name with hidden characters breaks the rule for names too; one finding is enough. */
function isToldAlready(problem: Problem, told: readonly Problem[]): boolean {
  const where = JSON.stringify(problem.place);
  return told.some(({ code, place }) => code === "HIDDEN_CHARACTERS" && JSON.stringify(place) === where);
}

function checkScriptPath(script: string, spot: Spot): readonly Problem[] {
  const fault = scriptPathFault(script);
  if (fault === undefined) return [];
  const code = fault.includes("must end") || fault.includes("TypeScript") ? "INVALID_VALUE" : "PATH_OUTSIDE";
  return [problemAt(below(spot, "script"), { code, message: `"script" ${fault}.` })];
}

function schemaProblems(
  schema: JsonValue,
  field: "parameters" | "output",
  spot: Spot,
  checkSchema: EntryContext["checkSchema"],
): readonly Problem[] {
  return checkSchema(schema, field).map(({ pointer, message, severity, about }) => {
    const path = pathOfPointer(schema, pointer);
    const place = { ...spot, path: [...spot.path, field, ...path] };
    return severity === undefined
      ? problemAt(place, { code: "SCHEMA_INVALID", message })
      : problemAt(place, { code: about === "keyword" ? "SCHEMA_KEYWORD" : "PATTERN_SLOW", severity, message });
  });
}

/** The keys of a JSON pointer, with numbers where the value has an array. */
function pathOfPointer(value: JsonValue, pointer: string): JsonPath {
  let current: JsonValue | undefined = value;
  return pointerKeys(pointer).map((key) => {
    const part = Array.isArray(current) ? Number(key) : key;
    if (Array.isArray(current)) current = current[Number(key)];
    else current = isJsonObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
    return part;
  });
}

function withoutUndefined(annotations: { readonly [key in keyof ToolAnnotations]?: ToolAnnotations[key] | undefined }): ToolAnnotations {
  return Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== undefined));
}
