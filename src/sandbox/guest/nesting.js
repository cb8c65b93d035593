// How deep values nest that leave the realm, and the place of a value in another.

/** Deepest nesting of what crosses the border; deeper values overflow the readers that are recursive. */
const MAX_DEPTH = 1_000;

/** Longest path in a message, in UTF-16 units. */
const PATH_CHARACTERS = 200;

function refuseDepth(writer) {
  if (writer.depth + writer.pairLevels >= MAX_DEPTH) refuseValue(writer, `is nested deeper than ${MAX_DEPTH} levels`);
}

/** Whether JSON text is nested deeper than {@link MAX_DEPTH}. Of strings only the quotes are looked at: they may be megabytes. */
function isDeep(json) {
  if (json.length <= 2 * MAX_DEPTH) return false;
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    const unit = charCodeAt(json, index);
    if (unit === 34) index = endOfString(json, index);
    else if (unit === 91 || unit === 123) depth += 1;
    else if (unit === 93 || unit === 125) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Index of the quote that ends the string beginning at `start`. */
function endOfString(json, start) {
  for (let end = stringIndexOf(json, '"', start + 1); ; end = stringIndexOf(json, '"', end + 1)) {
    let before = end - 1;
    while (charCodeAt(json, before) === 92) before -= 1;
    // After an even number of backslashes the quote is none of the text.
    if ((end - before) % 2 === 1) return end;
  }
}

/** `result.items[3].x`; the middle of a long one is left out. */
function pathText(writer) {
  let text = "result";
  for (let level = 0; level < writer.depth; level++) {
    const key = writer.path[level];
    if (key === undefined) break;
    if (typeof key === "number") text += `[${key}]`;
    else text += isPlainName(key) ? `.${key}` : `[${jsonStringify(cutText(key, 40))}]`;
    if (text.length > PATH_CHARACTERS * 4) break;
  }
  return cutText(text, PATH_CHARACTERS);
}
