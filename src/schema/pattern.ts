/** Regular expressions that users write into schemas. */

/** Longest `pattern` or `patternProperties` key, in UTF-16 units. */
export const MAX_PATTERN_CHARACTERS = 1_000;

/**
 * The pattern as a regular expression: in Unicode mode as JSON Schema asks, else as JavaScript reads it without, since
 * patterns with escapes such as `\-` are common and mean the same. Throws `SyntaxError` if neither reads it.
 */
export function compilePattern(pattern: string, _flags = "u"): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    // Not a loss: the second reading throws its own error where the pattern is wrong in both.
    return new RegExp(pattern);
  }
}
