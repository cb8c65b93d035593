import type { LogLine } from "../core/tool.ts";

/** Passes lines on until their text is over the limit in bytes, then one line that says so, then nothing. Default of the limit: `logBytes`. */
export function limitLog(maxBytes: number, pass: (line: LogLine) => void): (line: LogLine) => void {
  let left = maxBytes;
  return (line) => {
    if (left < 0) return;
    left -= Buffer.byteLength(line.text);
    if (left >= 0) pass(line);
    else pass({ level: "warn", text: `The log of this call is over its limit of ${maxBytes} bytes ("logBytes"); the rest is left out.` });
  };
}
