/**
 * The text a script becomes: a factory that takes the names of a call and gives the function to call. Positions in it
 * are those of the script's own file.
 */
import type { IsolateScript } from "./isolate-contract.ts";

/** A script ready to be checked (`body`, alone) and compiled (`code`, with the column its first line begins at). */
export interface WrappedScript {
  readonly body: string;
  readonly code: string;
  readonly columnOffset: number;
}

/**
 * Wraps the script; `parameterNames` are joined by commas. The text proves nothing about what is inside of it: a body
 * that closes the function is only found by parsing the body alone. Throws if the entry is no name of a function.
 */
export function wrapScript({ source, file, entry }: IsolateScript, parameterNames: string): WrappedScript {
  if (!/^[A-Za-z_$][\w$]*$/.test(entry)) throw new Error(`The entry of ${file} is not the name of a function.`);
  // "#!" is a comment only at the start of a file, not of a function; same length, so positions stay.
  const body = source.startsWith("#!") ? `//${source.slice(2)}` : source;
  // An inner function, so that the script may declare a name of its own that is also a parameter's.
  const prefix = `(function(${parameterNames}){"use strict";return(function(){`;
  // The last sourceURL counts, and an empty one counts as none: a script cannot rename itself in stacks.
  const suffix = `\n;return typeof ${entry}==="undefined"?undefined:${entry}})})\n//# sourceURL=`;
  return { body, code: prefix + body + suffix, columnOffset: -prefix.length };
}
