import { cutText, wellFormed } from "../core/text.ts";

/** Most characters of a value shown in a message. */
const SHOWN_CHARACTERS = 60;

/** A value as JSON text of at most 60 characters and a mark that more follows, for messages; `nothing` if there is none. */
export function shortJson(value: unknown): string {
  if (value === undefined) return "nothing";
  // Written out only as far as it is shown: a message about 1 MiB of arguments must not cost another one.
  const text = wellFormed(writeUpTo(value, SHOWN_CHARACTERS + 1));
  return text.length > SHOWN_CHARACTERS ? `${cutText(text, SHOWN_CHARACTERS)}…` : text;
}

/** JSON text, broken off somewhere after `budget` characters. */
function writeUpTo(value: unknown, budget: number): string {
  if (typeof value === "string") return JSON.stringify(value.length > budget ? cutText(value, budget) : value);
  if (typeof value !== "object" || value === null) return String(value);
  const isArray = Array.isArray(value);
  let text = isArray ? "[" : "{";
  for (const [key, item] of Object.entries(value)) {
    if (text.length > budget) return text;
    if (text.length > 1) text += ",";
    if (!isArray) text += `${JSON.stringify(cutText(key, budget))}:`;
    text += writeUpTo(item, budget - text.length);
  }
  return text + (isArray ? "]" : "}");
}
