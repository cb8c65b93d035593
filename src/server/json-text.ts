/** JSON text from the wire as a value, with the limits that both transports share. */

/** Deepest nesting of a message. Deeper text can overflow the stack of whoever walks it later. */
export const MAX_JSON_DEPTH = 64;

/** What a piece of text holds. `syntax` also stands for bytes that are not UTF-8. */
export type ParsedJson = { readonly kind: "value"; readonly value: unknown } | { readonly kind: "syntax" } | { readonly kind: "too-deep" };

/** Parses UTF-8 bytes. Depth is measured on the text, before anything recursive sees it. */
export function parseJsonBytes(bytes: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { kind: "syntax" }; // The only error of a fatal decoder is bytes that are not UTF-8.
  }
  return parseJsonText(text);
}

/** The same for text. */
export function parseJsonText(text: string): ParsedJson {
  if (isDeeperThan(text, MAX_JSON_DEPTH)) return { kind: "too-deep" };
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch {
    return { kind: "syntax" }; // The position would quote the text; callers say only that it is not JSON.
  }
}

/** Brackets inside of strings do not count. On text that is not JSON the answer does not matter: it fails to parse. */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === 0x5c) index++;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x7b || code === 0x5b) {
      depth++;
      if (depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
