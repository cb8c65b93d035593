/**
 * Looks for secrets in a short text that somebody steers: the Location of a redirect, a header, a URL. Escapes are taken off until
 * none is left, and words that can be base64 or hex are read, one in another. Too slow for bodies, and masks nothing: the answer
 * is yes or no.
 */
import type { Redactor } from "./redactor.ts";
import { unescaped } from "./unescape.ts";

/** Words read within words. */
const MAX_DEPTH = 3;

/** Layers of escapes taken off before a text counts as one that hides something; each undoes up to eight of `%25`. */
const MAX_ROUNDS = 16;

/** Bytes looked through before a text counts as one that hides something: headers of an answer have 32 KiB. */
const MAX_BYTES = 4 * 1_024 * 1_024;

/** True if the text holds a secret, and for one that is wrapped more often than is looked through. */
export function findsDeep(redactor: Redactor, text: string): boolean {
  const seen = new Set<string>();
  let bytesLeft = MAX_BYTES;
  let level: readonly Buffer[] = [Buffer.from(text, "utf8")];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const words: Buffer[] = [];
    for (const start of level) {
      let bytes = start;
      for (let round = 0; ; round++) {
        const key = bytes.toString("latin1");
        if (seen.has(key)) break;
        seen.add(key);
        bytesLeft -= bytes.length;
        if (round > MAX_ROUNDS || bytesLeft < 0 || redactor.finds(bytes)) return true;
        if (depth < MAX_DEPTH) words.push(...wordsOf(key));
        bytes = unescaped(bytes);
      }
    }
    level = words;
  }
  return false;
}

/** What words of base64 and hex stand for, from each place where the encoded bytes can begin: a path ends in a letter of base64 too. */
function wordsOf(text: string): readonly Buffer[] {
  const base64 = [...text.matchAll(/[A-Za-z0-9+/_-]{11,}/gu)].flatMap(([word]) =>
    [0, 1, 2, 3].map((skipped) => Buffer.from(word.slice(skipped), "base64url")),
  );
  const hex = [...text.matchAll(/[0-9A-Fa-f]{16,}/gu)].flatMap(([word]) =>
    [0, 1].map((skipped) => Buffer.from(word.slice(skipped), "hex")),
  );
  return [...base64, ...hex];
}
