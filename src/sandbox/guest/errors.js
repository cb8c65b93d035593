// Errors of our own with a code, and what can be told of anything a script throws. A thrown thing is foreign: it may be
// a Proxy, or lie about its name, message and stack; what is read of it is capped and is data, never a decision.

/** Largest part of a stack that is searched for a position, in UTF-16 units. */
const STACK_CHARACTERS = 65_536;

/** Most positions of one stack that are told; V8 itself keeps ten frames unless a script asks for more. */
const FRAMES = 16;

/** Largest name of an error that is told, in UTF-16 units. */
const NAME_CHARACTERS = 100;

/** An error with an own `code`, as scripts meet it. */
function makeError(code, message, Make = RawError) {
  const error = new Make(message);
  define(error, "code", code, true);
  return error;
}

/**
 * Turns `site`, an error made where the script called, into the failure of that call, so that its stack shows the line
 * of the script; one made when the answer came would show only the border.
 */
function failAt(site, name, { code, message }) {
  const frames = framesOf(site);
  define(site, "message", message, false);
  define(site, "stack", `${name}: ${message}${frames}`, false);
  define(site, "code", code, true);
  return site;
}

/** The frames in the stack of an error that has no message, each on a line of its own. */
function framesOf(error) {
  try {
    // In a realm that is not hardened a script's Error.prepareStackTrace decides what this is.
    return typeof error.stack === "string" ? stringSlice(error.stack, max(0, stringIndexOf(error.stack, "\n"))) : "";
  } catch {
    return "";
  }
}

/** A string property of a thrown thing, or undefined if it has none or reading it throws. */
function readText(thrown, name) {
  try {
    const value = thrown[name];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Name, message and positions of anything thrown. `file` is the script's name as its frames show it; `frames` are line and
 * column of each frame in it, the innermost first, one after the other. A thing that is no error has an empty name.
 */
function describeThrown(thrown, file, maxCharacters) {
  const isObject = (typeof thrown === "object" && thrown !== null) || typeof thrown === "function";
  const message = isObject ? readText(thrown, "message") : undefined;
  if (message === undefined) {
    const text = isObject ? objectAsText(thrown, maxCharacters) : primitiveText(thrown);
    return { __proto__: null, name: "", message: cutText(text, maxCharacters), frames: bareArray() };
  }
  const name = readText(thrown, "name") ?? "Error";
  return {
    __proto__: null,
    name: cutText(name, NAME_CHARACTERS),
    message: cutText(message, maxCharacters),
    frames: findPositions(readText(thrown, "stack") ?? "", `${name}: ${message}`, file),
  };
}

function primitiveText(value) {
  return typeof value === "symbol" ? symbolText(value) : `${value}`;
}

function objectAsText(thrown, maxCharacters) {
  try {
    const text = RawString(thrown);
    if (text !== "[object Object]") return text;
  } catch {
    // Without a usable toString its properties say more.
  }
  return formatValue(thrown, maxCharacters);
}

/** Line and column of each stack frame in `file`, one after the other. */
function findPositions(wholeStack, header, file) {
  const stack = stringSlice(wholeStack, 0, STACK_CHARACTERS);
  // The message stands before the frames and may look like one.
  let from = stringStartsWith(stack, header) ? header.length : 0;
  const needle = `${file}:`;
  const found = bareArray();
  for (;;) {
    const at = stringIndexOf(stack, needle, from);
    if (at < 0 || found.length >= 2 * FRAMES) return found;
    from = at + needle.length;
    const before = at === 0 ? "" : stack[at - 1];
    const lineStart = stringLastIndexOf(stack, "\n", at) + 1;
    const isFrame = (before === "(" || before === " ") && stringStartsWith(stringTrim(stringSlice(stack, lineStart, at)), "at");
    const line = isFrame ? readNumber(stack, from) : undefined;
    if (line === undefined || stack[line.end] !== ":") continue;
    const column = readNumber(stack, line.end + 1);
    if (column === undefined) continue;
    found[found.length] = line.value;
    found[found.length] = column.value;
  }
}

function readNumber(text, start) {
  let end = start;
  let value = 0;
  while (end < text.length && end - start < 9) {
    const digit = charCodeAt(text, end) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
    end += 1;
  }
  return end === start ? undefined : { __proto__: null, value, end };
}
