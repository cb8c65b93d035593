/**
 * Reads the arguments of a call as the tool's schema means them. What fits stays as it is; of what does not, only texts
 * are touched that stand where no text is allowed and stand for exactly one value that is. Then defaults are filled in.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ArgumentRepair } from "../../core/tool.ts";
import { copyJson } from "../copy-json.ts";
import type { RestoreOutcome } from "../publish/key-rename.ts";
import type { FieldIssue, Validation, Validator } from "../validator.ts";
import { fillDefaults } from "./fill-defaults.ts";
import { type RepairedValue, repairValue } from "./repair-value.ts";
import { TooManyAlternatives } from "./rules.ts";
import { createSchemaIndex, type SchemaIndex } from "./schema-index.ts";

/** Arguments for the script, or what does not fit; `repaired` is what was read otherwise than written, also where the rest fails. */
export type ArgumentsRead =
  | { readonly ok: true; readonly value: JsonObject; readonly repaired: readonly ArgumentRepair[] }
  | { readonly ok: false; readonly issues: readonly FieldIssue[]; readonly repaired: readonly ArgumentRepair[] };

/** Reads the arguments of one tool. */
export interface ArgumentReader {
  /** Never throws for arguments, however odd they are. The given object is not changed. */
  read(given: JsonObject, options: { readonly repair: boolean }): ArgumentsRead;
}

/** Rounds of leaving out defaults that do not fit, where a nested one may show only without the one around it; and of repair. */
const MAX_ROUNDS = 4;

/** What a reader is made of beside the schema. */
export interface ReaderParts {
  /** The schema's own; it fills in nothing. */
  readonly validator: Validator;
  /** Gives published keys the names of the schema. Default: all have them. */
  readonly restore?: (value: JsonValue) => RestoreOutcome;
}

/** A reader for a schema that passed `checkSchema`. */
export function createArgumentReader(
  schema: JsonObject,
  { validator, restore = (value) => ({ ok: true, value }) }: ReaderParts,
): ArgumentReader {
  let made: SchemaIndex | undefined;
  const index = (): SchemaIndex => {
    made ??= createSchemaIndex(schema);
    return made;
  };
  const check = (value: JsonValue): Validation => checkWithDefaults(schema, value, validator, index());
  return {
    read: (given, { repair }) => {
      const copied = copyJson(given);
      if (!copied.ok) return refused({ path: copied.path, kind: "value", expected: copied.expected, found: "what cannot be passed on" });
      const restored = restore(copied.value);
      if (!restored.ok) return refused(twice(restored));
      const checked = check(restored.value);
      if (checked.ok || checked.isStopped || !repair) return outcome(checked, []);
      const read = repairAll(restored.value, (value) => tryRepair(schema, value, index()), restore);
      if ("issue" in read) return refused(read.issue);
      return read.repaired.length === 0 ? outcome(checked, []) : outcome(check(read.value), read.repaired);
    },
  };
}

/** Repairs until nothing is left to: an object that was text may have published keys, and more text below them. */
function repairAll(
  given: JsonValue,
  repairOnce: (value: JsonValue) => RepairedValue,
  restore: (value: JsonValue) => RestoreOutcome,
): RepairedValue | { readonly issue: FieldIssue } {
  let value = given;
  const repaired: ArgumentRepair[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const read = repairOnce(value);
    if (read.repaired.length === 0) break;
    repaired.push(...read.repaired);
    const restored = restore(read.value);
    if (!restored.ok) return { issue: twice(restored) };
    value = restored.value;
  }
  return { value, repaired };
}

function twice({ path, published, original }: Extract<RestoreOutcome, { ok: false }>): FieldIssue {
  return { path, kind: "value", expected: `"${published}" or "${original}", which mean the same`, found: "both" };
}

function refused(issue: FieldIssue): ArgumentsRead {
  return { ok: false, issues: [issue], repaired: [] };
}

function outcome(checked: Validation, repaired: readonly ArgumentRepair[]): ArgumentsRead {
  if (!checked.ok) return { ok: false, issues: checked.issues, repaired };
  return { ok: true, value: isJsonObject(checked.value) ? checked.value : {}, repaired };
}

function tryRepair(schema: JsonObject, value: JsonValue, index: SchemaIndex): RepairedValue {
  try {
    const read = repairValue(schema, value, index);
    // Text may hold what arguments must not: the key __proto__, endless nesting.
    return copyJson(read.value).ok ? read : { value, repaired: [] };
  } catch (error) {
    if (error instanceof TooManyAlternatives) return { value, repaired: [] };
    throw error;
  }
}

/** Checks the value with its defaults. A default that does not fit, or demands what is not given, is left out: it must not make good arguments bad. */
function checkWithDefaults(schema: JsonObject, value: JsonValue, validator: Validator, index: SchemaIndex): Validation {
  if (!index.hasDefaults) return validator.validate(value);
  const without = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { value: whole, filled } = tryFill(schema, value, index, without);
    const checked = validator.validate(whole);
    if (checked.ok || checked.isStopped || filled.length === 0) return checked;
    const bad = filled.filter((path) => checked.issues.some((issue) => isAtOrBelow(issue.path, path)));
    if (bad.length === 0) break;
    for (const path of bad) without.add(path);
  }
  const bare = validator.validate(value);
  return bare.ok ? bare : validator.validate(tryFill(schema, value, index, without).value);
}

function tryFill(schema: JsonObject, value: JsonValue, index: SchemaIndex, without: ReadonlySet<string>): ReturnType<typeof fillDefaults> {
  try {
    return fillDefaults(schema, value, index, { without });
  } catch (error) {
    if (error instanceof TooManyAlternatives) return { value, filled: [] };
    throw error;
  }
}

function isAtOrBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);
}
