import type { Readable } from "node:stream";

/** What a host said on stderr before its end. */
export interface LastWords {
  /** True if V8 ended the process since something was too large for it, which raises no exception there. */
  areOfMemory(): boolean;
}

/** Characters that are kept; the line that matters comes first. */
const KEPT_CHARACTERS = 16_384;

/** V8's fatal errors of size: "invalid size error" for a table or array over its maximum, "out of memory" for the rest. */
const MEMORY = /Fatal JavaScript (?:invalid size error|out of memory)/;

/** Reads the stderr of a host to its end. Nothing but V8 and Node write there: a script has no way to it. */
export function readLastWords(stderr: Readable): LastWords {
  let text = "";
  stderr.setEncoding("latin1");
  stderr.on("data", (chunk: string) => {
    if (text.length < KEPT_CHARACTERS) text += chunk.slice(0, KEPT_CHARACTERS - text.length);
  });
  // A pipe that breaks ends the words; the end of the process is told by its own event.
  stderr.on("error", () => undefined);
  return { areOfMemory: () => MEMORY.test(text) };
}
