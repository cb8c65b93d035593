/** What a name or value that does not fit was probably meant to be. */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import { nearestName } from "../core/text.ts";
import type { Violation } from "./dialect.ts";

/** Of the known keys that are not given (`open`), the one that the unknown one is probably meant to be. */
export function meantKnownKey(
  { data, parentSchema }: Violation,
  unknown: string,
): { readonly suggestion: string | undefined; readonly open: readonly string[] } {
  const known = isJsonObject(parentSchema) && isJsonObject(parentSchema.properties) ? parentSchema.properties : {};
  const given = isJsonObject(data) ? data : {};
  // A key that is given already cannot be what the unknown one was meant to be.
  const open = Object.keys(known).filter((name) => !Object.hasOwn(given, name) || isDefault(given[name], known[name]));
  return { suggestion: open.find((name) => isSameText(name, unknown)) ?? nearestName(unknown, open), open };
}

/** True for a value that may stand there only because its default was filled in before the check. */
function isDefault(value: JsonValue | undefined, schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && schema.default !== undefined && isDeepStrictEqual(value, schema.default);
}

/** A key that is given and not known, where the missing one is probably meant. Where unknown keys are refused, each has an issue of its own. */
export function meantGivenKey({ data, parentSchema }: Violation, missing: string): string | undefined {
  if (!isJsonObject(data) || !isJsonObject(parentSchema)) return undefined;
  const { properties, additionalProperties, unevaluatedProperties } = parentSchema;
  if (additionalProperties === false || unevaluatedProperties === false) return undefined;
  const known = isJsonObject(properties) ? properties : {};
  // To a name of two letters any other is near.
  const unknown = missing.length > 2 ? Object.keys(data).filter((key) => !Object.hasOwn(known, key)) : [];
  return unknown.find((key) => isSameText(key, missing)) ?? nearestName(missing, unknown);
}

/** Longest text that is looked at for its Unicode form, in UTF-16 units. */
const MAX_NORMALISED_CHARACTERS = 1_000;

/** True for two texts that look the same and are not: letters with marks are one character (NFC) or two (NFD). */
function isSameText(a: string, b: string): boolean {
  if (a === b || Math.max(a.length, b.length) > MAX_NORMALISED_CHARACTERS) return false;
  return a.normalize("NFC") === b.normalize("NFC");
}

/** The allowed value that the given one looks like: the same text in another Unicode form. */
export function allowedTwin({ data, parentSchema }: Violation): string | undefined {
  if (typeof data !== "string" || !isJsonObject(parentSchema)) return undefined;
  const values = Array.isArray(parentSchema.enum) ? parentSchema.enum : [parentSchema.const];
  return values.find((value): value is string => typeof value === "string" && isSameText(value, data));
}
