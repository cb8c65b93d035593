/** Items by position, which several clients do not take, as items that are alternatives. */
import type { JsonValue } from "../../core/json.ts";
import { cutText } from "../../core/text.ts";
import { expectedText } from "../schema-text.ts";
import { asObject, distinct, isOpen, type PlainSchema, withSentence } from "./forms.ts";

/** Most positions and characters of each that a description tells. */
const TOLD_POSITIONS = 12;
const TOLD_CHARACTERS = 120;

/** An array's keywords by position, already in the common form. */
export interface TupleKeywords {
  readonly prefix: readonly JsonValue[];
  /** What the items after them must fit. */
  readonly rest: JsonValue;
}

/** The schema with `items` in place of the keywords by position; `isSame` if it still says exactly the same. */
export function withPlainItems(
  schema: PlainSchema,
  { prefix, rest }: TupleKeywords,
): { readonly schema: PlainSchema; readonly isSame: boolean } {
  // A position that takes nothing ends the array before it.
  const end = prefix.indexOf(false);
  const named = end < 0 ? prefix : prefix.slice(0, end);
  const most = end >= 0 || rest === false ? named.length : Number.POSITIVE_INFINITY;
  const maxItems = Math.min(most, typeof schema.maxItems === "number" ? schema.maxItems : Number.POSITIVE_INFINITY);
  const taken = named.slice(0, maxItems);
  const alternatives = distinct((maxItems <= named.length ? taken : [...named, rest]).map(asObject));
  const bounded: PlainSchema = { ...schema, ...(Number.isFinite(maxItems) ? { maxItems } : {}) };
  const [only = {}] = alternatives;
  if (alternatives.length <= 1) return { schema: { ...bounded, items: only }, isSame: true };
  const items = alternatives.some(isOpen) ? {} : { anyOf: alternatives };
  return { schema: withSentence({ ...bounded, items }, orderText(taken)), isSame: false };
}

function orderText(positions: readonly JsonValue[]): string {
  const told = positions.slice(0, TOLD_POSITIONS).map((schema, index) => `${index + 1}. ${positionText(schema)}`);
  const more = positions.length - told.length;
  return `Items in this order: ${told.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
}

function positionText(schema: JsonValue): string {
  const { title, description } = asObject(schema);
  const about = typeof title === "string" ? title : description;
  const text = expectedText(schema);
  return cutText(typeof about === "string" && about !== "" ? `${about} (${text})` : text, TOLD_CHARACTERS);
}
