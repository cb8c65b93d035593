/**
 * Reads tools.json. A fault of the file as a whole refuses it; a fault of one entry sets only that entry aside.
 * Reading never throws and never looks at another file.
 */

import { z } from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import { type Place, type Problem, placeText } from "../core/problem.ts";
import { checkSchema, createMetaSchemas, type MetaSchemas, type SchemaIssue } from "../schema/schema-check.ts";
import { versionProblem } from "./file-version.ts";
import { type JsonDocument, parseJsonDocument } from "./json-document.ts";
import { type OfferEntries, parseOffers } from "./offer-entry.ts";
import { type EntryOutcome, parseSharedFields, parseToolEntry, type SharedFields, type ToolEntry } from "./tool-entry.ts";
import { TOOLS_FILE_VERSION, toolsFileSchema } from "./tools-schema.ts";
import { problemAt, problemsOf, type Spot, unknownKeys } from "./zod-problems.ts";

/** Name of the file. */
export const TOOLS_FILE = "tools.json";

/** Largest tools.json or toolyard.json, in bytes: a thousand tools with schemas of 16 KiB. Not settable, since it guards the reading of settings. */
export const MAX_WORKSPACE_FILE_BYTES = 16 * 1_024 * 1_024;

/** A usable file. Each entry has its own problems; those beside are warnings about the file. */
export interface ToolsFile {
  readonly entries: readonly EntryOutcome[];
  /** Its problems are not among those below. */
  readonly offers: OfferEntries;
  readonly problems: readonly Problem[];
}

/** A usable file or what stopped it. */
export type ToolsFileOutcome =
  | { readonly kind: "good"; readonly value: ToolsFile }
  | { readonly kind: "broken"; readonly problems: readonly Problem[] };

/** What is remembered between two readings, so that an edit of one entry does not check a thousand schemas again. */
export interface ReadingMemory {
  readonly metaSchemas: MetaSchemas;
  schemaIssues: ReadonlyMap<string, readonly SchemaIssue[]>;
}

/** An empty memory, for one workspace. */
export function createReadingMemory(): ReadingMemory {
  return { metaSchemas: createMetaSchemas(), schemaIssues: new Map() };
}

/** Reads the text of the file. `base` are the limits of the server; `own` those in force in the workspace. */
export function parseToolsFile(
  text: string,
  { base, own, memory }: { readonly base: Limits; readonly own: Limits; readonly memory: ReadingMemory },
): ToolsFileOutcome {
  const parsed = parseJsonDocument(TOOLS_FILE, text);
  if (!parsed.ok) return { kind: "broken", problems: [parsed.problem] };
  const { document } = parsed;
  const { value } = document;
  const top: Spot = { document, path: [] };
  if (!isJsonObject(value)) {
    return {
      kind: "broken",
      problems: [problemAt(top, { code: "INVALID_VALUE", message: `${TOOLS_FILE} must be an object with "tools".` })],
    };
  }
  const version = versionProblem(value.version, TOOLS_FILE_VERSION, top);
  if (version !== undefined) return { kind: "broken", problems: [version] };
  const whole = checkWhole(value, document, base);
  const warnings = topUnknownKeys(value, top);
  if (whole.problems.some(({ severity }) => severity === "error")) return { kind: "broken", problems: [...whole.problems, ...warnings] };
  const outcomes = parseEntries(value, document, { base, own, memory });
  const entries = setAsideDuplicates(outcomes, document).map((outcome) => withDefaults(outcome, whole.defaults));
  const surplus = Array.isArray(value.tools) ? surplusProblem(value.tools.length, own, top) : [];
  return {
    kind: "good",
    value: { entries, offers: parseOffers(document, own), problems: [...whole.problems, ...warnings, ...surplus] },
  };
}

/** Everything but the entries; an error here is one of the whole file. */
function checkWhole(
  value: JsonObject,
  document: JsonDocument,
  base: Limits,
): { readonly defaults: SharedFields; readonly problems: readonly Problem[] } {
  const top: Spot = { document, path: [] };
  const problems = document.faults.filter(({ path }) => !isInEntry(path)).map(({ problem }) => problem);
  const schema = toolsFileSchema.extend({
    tools: z.array(z.unknown(), "a list of tools"),
    prompts: z.array(z.unknown(), "a list of prompts").optional(),
    resources: z.array(z.unknown(), "a list of resources").optional(),
  });
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { defaults: { limits: {}, config: {} }, problems: [...problems, ...problemsOf(parsed.error, top)] };
  const raw = isJsonObject(value.defaults) ? value.defaults : {};
  const shared = parseSharedFields(parsed.data.defaults ?? {}, raw, { document, path: ["defaults"] }, base);
  return { defaults: shared.fields, problems: [...problems, ...shared.problems] };
}

/** Lists of the file, of which each entry is judged by itself. */
const ENTRY_LISTS: readonly (string | number | undefined)[] = ["tools", "prompts", "resources"];

function isInEntry(path: readonly (string | number)[]): boolean {
  return ENTRY_LISTS.includes(path[0]) && typeof path[1] === "number";
}

function topUnknownKeys(value: JsonObject, top: Spot): readonly Problem[] {
  // The entries tell their own, with the tool's name.
  return unknownKeys(toolsFileSchema, { ...value, tools: [], prompts: [], resources: [] }, top);
}

function parseEntries(
  value: JsonObject,
  document: JsonDocument,
  { base, own, memory }: { readonly base: Limits; readonly own: Limits; readonly memory: ReadingMemory },
): readonly EntryOutcome[] {
  const known = memory.schemaIssues;
  const used = new Map<string, readonly SchemaIssue[]>();
  const check = (schema: JsonValue, name: "parameters" | "output"): readonly SchemaIssue[] => {
    const key = `${name} ${own.schemaBytes} ${own.schemaDepth} ${JSON.stringify(schema)}`;
    const root = name === "parameters" ? "object" : "any";
    const options = { name, root, metaSchemas: memory.metaSchemas, maxBytes: own.schemaBytes, maxDepth: own.schemaDepth } as const;
    const issues = known.get(key) ?? checkSchema(schema, options);
    used.set(key, issues);
    return issues;
  };
  const items = Array.isArray(value.tools) ? value.tools.slice(0, own.tools) : [];
  const outcomes = items.flatMap((item: JsonValue, index) => {
    if (isJsonObject(item) && item.enabled === false) return [];
    const faults = document.faults.filter(({ path }) => path[0] === "tools" && path[1] === index).map(({ problem }) => problem);
    return [parseToolEntry(item, { document, path: ["tools", index] }, { base, checkSchema: check }, faults)];
  });
  memory.schemaIssues = used;
  return outcomes;
}

/** The first of several tools of one name stays, whether it works or not: which one is meant must not depend on a fault. */
function setAsideDuplicates(outcomes: readonly EntryOutcome[], document: JsonDocument): readonly EntryOutcome[] {
  const first = new Map<string, EntryOutcome>();
  return outcomes.map((outcome): EntryOutcome => {
    const { name, description } = outcome.kind === "good" ? outcome.entry : outcome;
    const lower = name.toLowerCase();
    const earlier = first.get(lower);
    if (earlier === undefined) {
      first.set(lower, outcome);
      return outcome;
    }
    const place = placeOf(outcome, document);
    const message = duplicateText(name, earlier, document);
    const problem: Problem = { code: "DUPLICATE_NAME", severity: "error", place, message, tool: name };
    return { kind: "broken", name, description, problems: [problem, ...outcome.problems] };
  });
}

function placeOf(outcome: EntryOutcome, { file }: JsonDocument): Place {
  return outcome.kind === "good" ? outcome.entry.place : (outcome.problems[0]?.place ?? { kind: "file", file });
}

function duplicateText(name: string, earlier: EntryOutcome, document: JsonDocument): string {
  const other = earlier.kind === "good" ? earlier.entry.name : earlier.name;
  const where = placeText(placeOf(earlier, document));
  if (other === name) return `The tool at ${where} is named "${name}" too. Rename one of them.`;
  return `"${name}" differs from "${other}" at ${where} only in upper and lower case, which clients may not tell apart. Rename one of them.`;
}

/** A field an entry sets replaces the one of `defaults` as a whole; of `limits` and `config` each key counts by itself. */
function withDefaults(outcome: EntryOutcome, defaults: SharedFields): EntryOutcome {
  if (outcome.kind === "broken") return outcome;
  const { entry, problems } = outcome;
  const merged: ToolEntry = {
    ...entry,
    limits: { ...defaults.limits, ...entry.limits },
    config: { ...defaults.config, ...entry.config },
    ...(entry.timeout === undefined && defaults.timeout !== undefined ? { timeout: defaults.timeout } : {}),
    ...(entry.headers === undefined && defaults.headers !== undefined ? { headers: defaults.headers } : {}),
    ...(entry.query === undefined && defaults.query !== undefined ? { query: defaults.query } : {}),
    ...(entry.auth === undefined && defaults.auth !== undefined ? { auth: defaults.auth } : {}),
    ...(entry.allowedHosts === undefined && defaults.allowedHosts !== undefined ? { allowedHosts: defaults.allowedHosts } : {}),
  };
  return { kind: "good", entry: merged, problems };
}

function surplusProblem(count: number, own: Limits, top: Spot): readonly Problem[] {
  if (count <= own.tools) return [];
  const message = `${count} tools are written here; the first ${own.tools} are read (limit "tools").`;
  return [problemAt({ ...top, path: ["tools", own.tools] }, { code: "LIMIT_RANGE", message })];
}
