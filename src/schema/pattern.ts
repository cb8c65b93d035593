/**
 * Regular expressions that users write into schemas. They run on RE2, whose time grows with the text and not faster;
 * what RE2 has no form for runs on the engine of JavaScript, within the limits of whoever runs it.
 */
import { RE2JS } from "re2js";
import { MAX_REPETITIONS, readPattern } from "./pattern-syntax.ts";

/** Longest `pattern` or `patternProperties` key, in UTF-16 units. */
export const MAX_PATTERN_CHARACTERS = 1_000;

/** Longest text that a pattern is tried on that RE2 has no form for, in UTF-16 units. */
export const MAX_BACKTRACKING_CHARACTERS = 10_000;

/** A pattern that is ready to be tried on text. */
export interface CompiledPattern {
  /** True if the pattern matches anywhere in the text. Throws `TextTooLong` only where `isLinear` is false. */
  test(text: string): boolean;
  readonly isLinear: boolean;
}

/** Thrown for a text that is too long to be tried. */
export class TextTooLong extends Error {
  override readonly name = "TextTooLong";
  readonly pattern: string;
  readonly text: string;

  constructor(pattern: string, text: string) {
    super(`text over ${MAX_BACKTRACKING_CHARACTERS} characters is not tried on this pattern`);
    this.pattern = pattern;
    this.text = text;
  }
}

/**
 * The pattern as a regular expression: in Unicode mode as JSON Schema asks, else as JavaScript reads it without, since
 * patterns with escapes such as `\-` are common and mean the same. Throws `SyntaxError` if neither reads it.
 */
export function parsePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    // Not a loss: the second reading throws its own error where the pattern is wrong in both.
    return new RegExp(pattern);
  }
}

/** Compiles a pattern for checking; about 0.3 ms. Throws `SyntaxError` if it is none. */
export function compilePattern(pattern: string): CompiledPattern {
  const expression = parsePattern(pattern);
  const linear = linearForm(pattern);
  if (linear.kind === "linear") {
    const { compiled } = linear;
    return { isLinear: true, test: (text) => compiled.test(text) };
  }
  return {
    isLinear: false,
    test: (text) => {
      if (text.length > MAX_BACKTRACKING_CHARACTERS) throw new TextTooLong(pattern, text);
      return expression.test(text);
    },
  };
}

/** Why RE2 has no form for the pattern, in words; undefined if it has one. The pattern must be one that `parsePattern` takes. */
export function backtrackingReason(pattern: string): string | undefined {
  const syntax = readPattern(pattern);
  if (syntax.kind === "backtracking") return syntax.reason;
  // Only many repetitions inside others and names of Unicode can still be refused; asking costs 0.3 ms.
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Math.max(Number(least), Number(most ?? 0), 1));
  const together = counts.reduce((all, count) => all * count, 1);
  if (together <= MAX_REPETITIONS && !/\\[pP]/.test(pattern)) return undefined;
  const linear = linearForm(pattern);
  return linear.kind === "linear" ? undefined : linear.reason;
}

/** False for a pattern that some engine of a client would refuse or read otherwise. */
export function isPortablePattern(pattern: string): boolean {
  const syntax = readPattern(pattern);
  return syntax.kind === "linear" && syntax.isPortable && backtrackingReason(pattern) === undefined;
}

type LinearForm = { readonly kind: "linear"; readonly compiled: RE2JS } | { readonly kind: "none"; readonly reason: string };

function linearForm(pattern: string): LinearForm {
  const syntax = readPattern(pattern);
  if (syntax.kind === "backtracking") return { kind: "none", reason: syntax.reason };
  try {
    return { kind: "linear", compiled: RE2JS.compile(syntax.re2) };
  } catch {
    // Whatever RE2 refuses still runs on the other engine, so its reason is no fault of the pattern.
    return { kind: "none", reason: "a repetition of more than 1000 in all, or a property of Unicode" };
  }
}
