/** `// @timeout 30` in the leading comments of a script. */

/** A comment of a script, with its place in the text. */
export interface ScriptComment {
  readonly text: string;
  /** Offset of the text behind the comment's opening characters. */
  readonly offset: number;
}

/** A time limit in a comment. */
export type TimeoutComment =
  | { readonly kind: "limit"; readonly timeoutMs: number; readonly offset: number }
  | { readonly kind: "unreadable"; readonly written: string; readonly offset: number };

const TIMEOUT_LINE = /^[\s*]*(@timeout)\b[ \t]*(\S*)/gm;

const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Every `@timeout` of the comments, in their order. Without a unit the number is seconds. */
export function findTimeouts(comments: readonly ScriptComment[]): readonly TimeoutComment[] {
  return comments.flatMap((comment) =>
    [...comment.text.matchAll(TIMEOUT_LINE)].map((match): TimeoutComment => {
      const [whole = "", , written = ""] = match;
      const offset = comment.offset + match.index + whole.indexOf("@timeout");
      const timeoutMs = parseDuration(written);
      return timeoutMs === undefined ? { kind: "unreadable", written, offset } : { kind: "limit", timeoutMs, offset };
    }),
  );
}

/** `30` and `30s` are 30,000 ms, `500ms` is 500, `2m` is 120,000; undefined for anything else and for zero. */
function parseDuration(text: string): number | undefined {
  const [, number, unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)?$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  const milliseconds = Math.ceil(Number(number) * (MS_PER_UNIT[unit] ?? 1_000));
  return milliseconds > 0 ? milliseconds : undefined;
}
