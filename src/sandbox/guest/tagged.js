// Objects of a kind of their own, by their tag: what stands for them in a result, or an error that says what to return
// instead. JSON.stringify makes {} of them, and nobody would see that something is lost.

/** Longest tag that is told, in UTF-16 units. */
const TAG_CHARACTERS = 60;

/** What to return in place of objects of the web that hold more than JSON can. */
const INSTEAD = {
  __proto__: null,
  Response: "return what its json() or text() gives",
  Request: "return what you need of it, such as its url",
  Blob: "return what its text() or bytes() gives",
  File: "return what its text() or bytes() gives",
  FormData: "return Object.fromEntries(form), or what you need of it",
};

const regExpText = (value) => `/${regExpSource(value)}/${regExpFlags(value)}`;

/** False for what is written as its properties. The tag can be forged: it only chooses what is asked and how a thing is called. */
function writeTagged(writer, value, tag) {
  if (tag === "[object Array]" || tag === "[object Arguments]" || tag === "[object Module]") return false;
  if (tag === "[object RegExp]") return writeBranded(value, regExpText, (text) => writer.write(text, false));
  const kind = weakMapGet(webKinds, value);
  // Both are shown as their name and, after a blank, exactly this.
  if (kind === "URLSearchParams") return writePlain(writer, stringSlice(weakMapGet(webTexts, value)(), kind.length + 1));
  if (kind === "Headers") return writePlain(writer, jsonParse(stringSlice(weakMapGet(webTexts, value)(), kind.length + 1)));
  const instead = kind === undefined ? undefined : INSTEAD[kind];
  if (instead !== undefined) return refuseValue(writer, `is a ${kind}; ${instead}`);
  if (readSafely(writer, objectKeys, value).length > 0) return false;
  return refuseValue(writer, `is ${aTag(tag)}, of which JSON holds nothing; return what you need of it as plain data`);
}

function writePlain(writer, plain) {
  writer.write(plain, false);
  return true;
}

/** "a WeakMap" of "[object WeakMap]". */
function aTag(tag) {
  const name = cutText(stringSlice(tag, 8, -1), TAG_CHARACTERS);
  return `${stringIndexOf("AEIOU", name[0] ?? "-") < 0 ? "a" : "an"} ${name}`;
}
