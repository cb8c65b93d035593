/**
 * Checks values against a tool's schema. Nothing is coerced; defaults are filled into a copy, so the caller's value
 * stays as it was. What does not fit is told by path, in the words of the schema.
 */
import { messageOf, ToolError } from "../core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { toAjvForm } from "./ajv-form.ts";
import { copyJson } from "./copy-json.ts";
import { type CompiledUserSchema, compileSchema, type PatternTrial, type Violation } from "./dialect.ts";
import { DEFAULT_DIALECT, dialectOf } from "./dialect-name.ts";
import { MAX_BACKTRACKING_CHARACTERS, TextTooLong } from "./pattern.ts";
import { shortJson } from "./short-json.ts";
import { createTimeLimiter, MAX_CHECK_MS, type TimeLimiter } from "./time-limit.ts";
import { pathText } from "./value-path.ts";
import { describeViolations } from "./violations.ts";

/** One field that does not fit. */
export interface FieldIssue {
  /** `where.column`, `items[3].price`; empty for the value as a whole. */
  readonly path: string;
  readonly kind: "value" | "missing" | "unknown";
  /** What the schema asks for, in words. */
  readonly expected: string;
  /** What stands there, as JSON of at most 60 characters; `nothing` if it is missing. */
  readonly found: string;
  /** The values the schema allows here, where it names them; at most 20. */
  readonly allowed?: readonly JsonValue[];
  /** For an unknown key: the known one it is probably meant to be. */
  readonly suggestion?: string;
  /** For an unknown key that is near to none: the known ones that are not given, at most 20. */
  readonly known?: readonly string[];
  /** For a missing key: one that is given, is not known, and is probably meant to be it. */
  readonly given?: string;
}

/** Outcome of a check. `value` has the defaults in it. */
export type Validation =
  | { readonly ok: true; readonly value: JsonValue }
  /** `isStopped`: the check took too long, so it must not be tried again on the like. */
  | { readonly ok: false; readonly issues: readonly FieldIssue[]; readonly isStopped?: true };

/** A schema that is ready to check values. */
export interface Validator {
  /** Never throws for a value, however odd it is; throws `ToolError` TOOL_BROKEN for a schema that cannot be compiled. */
  validate(value: JsonValue): Validation;
}

/** How values are checked. */
export interface ValidatorOptions {
  /** Fill in defaults of the schema, in a copy. Default true; false for results, which stay as they are. */
  readonly applyDefaults?: boolean;
  /** Shared by the validators of one engine, since its context takes memory. Default: one of its own. */
  readonly limiter?: TimeLimiter;
}

/** Most violations put into words: of a list of ten thousand wrong items the first few are told anyway, and alternatives take time squared. */
const MAX_VIOLATIONS = 1_000;

/** How often a check is begun anew that was stopped while the machine was busy with something else. */
const MAX_ATTEMPTS = 3;

/** Characters and values together that are checked in no time whatever the schema says, its patterns apart. */
const SMALL_VALUE = 4_096;

/**
 * A validator of a schema that passed `checkSchema`; it compiles at its first use (about 3 ms).
 * Throws `ToolError` TOOL_BROKEN at that moment where the schema cannot be compiled after all.
 */
export function compileValidator(schema: JsonObject | boolean, options: ValidatorOptions = {}): Validator {
  const { applyDefaults = true, limiter = createTimeLimiter() } = options;
  let compiled: Compiled | undefined;
  return {
    validate(value) {
      const copied = applyDefaults ? copyJson(value) : { ok: true as const, value };
      if (!copied.ok) {
        const { path, expected } = copied;
        return { ok: false, issues: [{ path, kind: "value", expected, found: "what cannot be passed on" }] };
      }
      const subject = copied.value;
      let checked: Checked = { kind: "starved" };
      for (let attempt = 1; attempt <= MAX_ATTEMPTS && checked.kind === "starved"; attempt++) {
        compiled ??= compile(schema, applyDefaults);
        checked = runCheck(compiled, subject, limiter);
        // Stopped anywhere, whatever it remembers may be half done.
        if (checked.kind === "starved" || (checked.kind === "refused" && checked.isStopped)) compiled = undefined;
      }
      if (checked.kind === "starved") return { ok: false, issues: [tooLong()], isStopped: true };
      if (checked.kind === "refused") return { ok: false, issues: [checked.issue], ...(checked.isStopped ? { isStopped: true } : {}) };
      const { violations, root } = checked;
      return violations.length === 0
        ? { ok: true, value: subject }
        : { ok: false, issues: describeViolations(violations.slice(0, MAX_VIOLATIONS), value, root) };
    },
  };
}

/** The validator of a schema from a cache the caller owns; one schema object is compiled once. */
export function cachedValidator(cache: WeakMap<JsonObject, Validator>, schema: JsonObject, options: ValidatorOptions = {}): Validator {
  const known = cache.get(schema) ?? compileValidator(schema, options);
  cache.set(schema, known);
  return known;
}

interface Compiled extends CompiledUserSchema {
  /** The schema as Ajv got it, which violations quote parts of. */
  readonly root: JsonObject | boolean;
}

function compile(schema: JsonObject | boolean, applyDefaults: boolean): Compiled {
  const plain = isJsonObject(schema) ? toAjvForm(schema) : schema;
  const dialect = isJsonObject(schema) ? (dialectOf(schema) ?? DEFAULT_DIALECT) : DEFAULT_DIALECT;
  try {
    return { ...compileSchema(plain, dialect, { applyDefaults }), root: plain };
  } catch (error) {
    throw notCompiled(error);
  }
}

function notCompiled(cause: unknown): ToolError {
  return new ToolError("TOOL_BROKEN", `The tool's JSON Schema cannot be compiled: ${messageOf(cause)}. Correct it in tools.json.`, {
    cause,
  });
}

type Checked =
  | { readonly kind: "checked"; readonly violations: readonly Violation[]; readonly root: JsonObject | boolean }
  | { readonly kind: "starved" }
  | { readonly kind: "refused"; readonly issue: FieldIssue; readonly isStopped: boolean };

function runCheck({ check, isLinear, root, stoppedAt }: Compiled, value: JsonValue, limiter: TimeLimiter): Checked {
  try {
    if (isLinear && isSmall(value)) return { kind: "checked", violations: check(value), root };
    const timed = limiter.run(() => check(value), MAX_CHECK_MS);
    if (timed.kind === "done") return { kind: "checked", violations: timed.value, root };
    return timed.kind === "starved" ? { kind: "starved" } : { kind: "refused", issue: tooLong(stoppedAt(), value), isStopped: true };
  } catch (error) {
    if (error instanceof TextTooLong) {
      const expected = `text of at most ${MAX_BACKTRACKING_CHARACTERS} characters for the pattern ${shortJson(error.pattern).slice(1, -1)}`;
      return { kind: "refused", issue: atText(error.text, value, expected, `text of ${error.text.length} characters`), isStopped: false };
    }
    // Comparing objects with keys such as "valueOf" throws a TypeError, a recursive schema on deep data a RangeError.
    if (error instanceof TypeError || error instanceof RangeError) {
      return { kind: "refused", issue: whole("values that can be compared", "nesting or key names that cannot"), isStopped: false };
    }
    // Of some schemas that nothing fits Ajv makes code that does not run.
    if (error instanceof ReferenceError) throw notCompiled(error);
    throw error;
  }
}

function tooLong(trial?: PatternTrial, value?: JsonValue): FieldIssue {
  if (trial !== undefined && value !== undefined) {
    const expected = `text that can be tried on the pattern ${shortJson(trial.pattern).slice(1, -1)} within ${MAX_CHECK_MS} ms`;
    return atText(trial.text, value, expected, `text of ${trial.text.length} characters that takes longer`);
  }
  return whole(`values that can be checked within ${MAX_CHECK_MS} ms`, "more, or text that its pattern cannot be tried on in that time");
}

/** An issue of the field that holds the text, or has it as its name. */
function atText(text: string, value: JsonValue, expected: string, found: string): FieldIssue {
  return { ...whole(expected, found), path: pathText(pathOfText(text, value) ?? []) };
}

function pathOfText(text: string, value: JsonValue): readonly (string | number)[] | undefined {
  if (value === text) return [];
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (key === text) return [key];
    const inner = pathOfText(text, item);
    if (inner !== undefined) return [Array.isArray(value) ? Number(key) : key, ...inner];
  }
  return undefined;
}

function whole(expected: string, found: string): FieldIssue {
  return { path: "", kind: "value", expected, found };
}

/** Counts only as far as it must. */
function isSmall(value: JsonValue): boolean {
  let left = SMALL_VALUE;
  const waiting: JsonValue[] = [value];
  while (waiting.length > 0 && left > 0) {
    const item = waiting.pop();
    left -= typeof item === "string" ? item.length + 1 : 1;
    if (typeof item !== "object" || item === null) continue;
    const children = Object.values(item);
    left -= children.length;
    if (!Array.isArray(item)) for (const key of Object.keys(item)) left -= key.length;
    if (left > 0) waiting.push(...children);
  }
  return left > 0;
}
