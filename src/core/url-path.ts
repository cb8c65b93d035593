/** Whether all servers read a path alike. A secret that is bound to a path goes only where they do. */

/** Encoded dots, slashes, backslashes and control characters, and what IIS takes for any character; also encoded again and again. */
const ENCODED = /%(?:25)*(?:2e|2f|5c|[01][0-9a-f]|7f|u[0-9a-f]{4})/iu;

/** Encoded again and again: further than any server undoes. */
const MAX_DEPTH = 4;

/**
 * True for a path, as `URL.pathname` gives it, that servers read in different ways: with what is encoded without need,
 * empty segments, backslashes, text that is not UTF-8, and segments that some take for `.` or `..`, such as `..;`, `..%20`
 * and those of full width.
 */
export function isUnclearPath(path: string): boolean {
  if (ENCODED.test(path) || path.includes("//")) return true;
  let text = decoded(path);
  for (let depth = 1; text !== undefined; depth++) {
    if (isUnclearText(text)) return true;
    // A percent sign that stands for itself, as in "100%25", ends it; one that does not is undone by servers that decode twice.
    if (!/%[0-9a-f]{2}/iu.test(text) || /%(?![0-9a-f]{2})/iu.test(text)) return false;
    if (depth >= MAX_DEPTH) return true;
    text = decoded(text);
  }
  return true;
}

/** Undefined for what is not UTF-8 or has a percent sign without its digits. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // URIError, for just that.
    return undefined;
  }
}

function isUnclearText(text: string): boolean {
  // Compatibility forms as Windows and some frameworks fold them: of full width, and dots that are one character.
  const folded = text.normalize("NFKC");
  if (/[\p{Cc}\\\u2044\u2215\u29f8\u29f9]/u.test(folded)) return true;
  if (folded.split("/").length !== text.split("/").length) return true;
  return folded.split("/").some(isDotLike);
}

/** `.` or `..` with something behind it that servers cut off, or nothing but dots and blanks, which Windows does. */
function isDotLike(segment: string): boolean {
  return /^\s*\.{1,2}(?![\p{L}\p{N}_.-])|^[.\s]+$/u.test(segment);
}
