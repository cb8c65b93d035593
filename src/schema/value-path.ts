import { cutText } from "../core/text.ts";

/** Longest key shown in a path. */
const SHOWN_KEY_CHARACTERS = 60;

/** A path as people write it: `where.column`, `items[3].price`, `["odd key"]`; empty for the whole value. */
export function pathText(path: readonly (string | number)[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[\p{L}\p{N}_$-]{1,60}$/u.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(cutText(part, SHOWN_KEY_CHARACTERS))}]`;
  }
  return text;
}
