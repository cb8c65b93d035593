/** Fields that an object of the protocol must have, and what is wrong with one that lacks them or has others in their place, in words. */
import { isJsonObject, type JsonObject, kindText } from "../core/json.ts";
import { cutText } from "../core/text.ts";

/** A field must be as `is` says where it is there, and there unless it is optional; `what` names it in messages. */
export interface FieldRule {
  readonly key: string;
  readonly what: string;
  readonly isOptional?: true;
  is(value: unknown): boolean;
  /** Of an object: what stands in it. */
  readonly fields?: readonly FieldRule[];
  /** Of an object with any keys: what each value must be. */
  readonly values?: "text" | "an object";
  /** The rule is one of the objects for which this is true. Default: of all. */
  when?(given: JsonObject): boolean;
}

/** Longest key of a caller's own making that is repeated, in UTF-16 units. */
const SHOWN_CHARACTERS = 60;

/** A field that is text. */
export function text(key: string, what: string): FieldRule {
  return { key, what: `${what}, as text`, is: isText };
}

/** A field that is an object; `fields` stand in it, others may. */
export function object(key: string, what: string, fields: readonly FieldRule[] = []): FieldRule {
  return { key, what, is: isJsonObject, fields };
}

/** The same field, which may be left out. */
export function optional(rule: FieldRule): FieldRule {
  return { ...rule, isOptional: true };
}

/** The first field that is not as it must be; undefined where all are. `owner`: whose the fields are, as in `"name" of tools/call`; `parent`: their path, with a dot at its end. */
export function fieldsFault(owner: string, given: JsonObject, rules: readonly FieldRule[], parent = ""): string | undefined {
  for (const rule of rules) {
    if (rule.when?.(given) === false) continue;
    const fault = fieldFault(owner, Object.hasOwn(given, rule.key) ? given[rule.key] : undefined, rule, parent);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function fieldFault(owner: string, value: unknown, rule: FieldRule, parent: string): string | undefined {
  const { key, what, isOptional, is, fields = [], values } = rule;
  if (value === undefined && isOptional) return undefined;
  const path = `${parent}${key}`;
  if (!is(value)) return `"${path}" of ${owner} must be ${what}; found ${kindText(value)}.${hint(value, what)}`;
  if (!isJsonObject(value)) return undefined;
  const inner = fieldsFault(owner, value, fields, `${path}.`);
  if (inner !== undefined || values === undefined) return inner;
  const isRight = values === "text" ? isText : isJsonObject;
  const wrong = Object.entries(value).find(([, item]) => !isRight(item));
  if (wrong === undefined) return undefined;
  return `"${path}.${cutText(wrong[0], SHOWN_CHARACTERS)}" of ${owner} must be ${values}; found ${kindText(wrong[1])}.`;
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** Models write objects as text; over the protocol there is nobody who could read it as one. */
function hint(value: unknown, what: string): string {
  return typeof value === "string" && what.startsWith("an object") ? " Send the object itself, not its JSON text." : "";
}
