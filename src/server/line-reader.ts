/** Lines out of chunks of bytes, in time linear in their size and with a bound on memory. */

/** Longest message over stdio, in bytes. HTTP bodies are bounded apart (`httpBodyBytes`). */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Bytes kept from either end of a line that is too long: where the id of a request stands. */
const KEPT_BYTES = 512;

/** A line without its end, or what is known of one that was too long to keep. */
export type Line =
  | { readonly kind: "line"; readonly bytes: Buffer }
  | { readonly kind: "too-long"; readonly head: Buffer; readonly tail: Buffer };

/** Takes chunks as they arrive and gives the lines that end in them. */
export interface LineReader {
  push(chunk: Buffer): readonly Line[];
  /** What came after the last line end, once; undefined if that is nothing, or too long. */
  rest(): Buffer | undefined;
}

/** Makes a reader. A line of more than `maxBytes` is thrown away as it arrives; the lines after it are read as usual. */
export function createLineReader(maxBytes: number): LineReader {
  let parts: Buffer[] = [];
  let size = 0;
  let tooLong: { readonly head: Buffer; tail: Buffer } | undefined;

  const add = (part: Buffer): void => {
    size += part.length;
    if (tooLong !== undefined) {
      tooLong.tail = lastBytes(tooLong.tail, part);
      return;
    }
    parts.push(part);
    if (size <= maxBytes) return;
    const whole = Buffer.concat(parts);
    parts = [];
    // Copies: a slice would keep the whole line in memory.
    tooLong = { head: Buffer.from(whole.subarray(0, KEPT_BYTES)), tail: lastBytes(Buffer.alloc(0), whole) };
  };

  const take = (): Line => {
    const line: Line = tooLong === undefined ? { kind: "line", bytes: joined(parts) } : { kind: "too-long", ...tooLong };
    parts = [];
    size = 0;
    tooLong = undefined;
    return line;
  };

  return {
    push: (chunk) => {
      const lines: Line[] = [];
      let start = 0;
      for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
        add(chunk.subarray(start, end));
        lines.push(take());
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
      return lines;
    },
    rest: () => {
      if (size === 0) return undefined;
      const line = take();
      return line.kind === "line" ? line.bytes : undefined;
    },
  };
}

/**
 * The id of a request of which only both ends are known, so that its sender gets an answer instead of a time-out.
 * Clients write the id before the parameters, or as the last key; anything else gives null.
 */
export function idOfLongRequest(head: Buffer, tail: Buffer): string | number | null {
  const match =
    /^\s*\{\s*(?:(?:"jsonrpc"\s*:\s*"2\.0"|"method"\s*:\s*"[\w/]{1,64}")\s*,\s*){0,2}"id"\s*:\s*(\d{1,15}|"[^"\\]{0,128}")\s*,\s*"(?!result"|error")/.exec(
      head.toString("latin1"),
    ) ?? /"id"\s*:\s*(\d{1,15}|"[^"\\]{0,128}")\s*\}\s*$/.exec(tail.toString("latin1"));
  if (match?.[1] === undefined) return null;
  return match[1].startsWith('"') ? match[1].slice(1, -1) : Number(match[1]);
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}

function lastBytes(before: Buffer, part: Buffer): Buffer {
  return Buffer.from(Buffer.concat([before, part.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES));
}
