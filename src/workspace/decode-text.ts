/** Text of a file, or why its bytes are none. */
export type DecodedText = { readonly kind: "text"; readonly text: string } | { readonly kind: "not-text"; readonly reason: string };

/** Bytes as UTF-8 whatever the locale, with or without a byte order mark. */
export function decodeText(bytes: Buffer): DecodedText {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { kind: "not-text", reason: "it is UTF-16; save it as UTF-8" };
  }
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    // The decoder says only that it failed; the first bad byte is what a person needs.
    return { kind: "not-text", reason: `byte ${firstBadByte(bytes)} is not UTF-8; save it as UTF-8` };
  }
}

/** Offset, from 0, of the first byte that does not belong to valid UTF-8. */
function firstBadByte(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  const decodes = (length: number): boolean => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false; // what is asked here
    }
  };
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (decodes(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
