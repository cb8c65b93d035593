/** Guards of results, errors and failures of a script. */
import type { Guard } from "../guards.ts";

const VALUES = "src/sandbox/guest/values.js";
const ERRORS = "src/sandbox/guest/errors.js";

/** See the head of this file. */
export const valueGuards: readonly Guard[] = [
  {
    name: "result-depth",
    about: "A result nested deeper than 1,000 levels is refused where it is written.",
    changes: [
      { file: "src/sandbox/guest/nesting.js", find: "if (writer.depth + writer.pairLevels >= MAX_DEPTH) ", replace: "if (false) " },
    ],
  },
  {
    name: "map-depth",
    about: "A Map that is written as pairs counts as the two levels of JSON it takes.",
    changes: [
      { file: VALUES, find: "  if (entries.length > 0) refuseDepth(writer);\n", replace: "" },
      { file: VALUES, find: "  writer.pairLevels += 1;\n", replace: "" },
      { file: VALUES, find: "  writer.pairLevels -= 1;\n", replace: "" },
    ],
  },
  {
    name: "result-cycles",
    about: "An object that stands in itself is refused at once, not when its depth or size is over.",
    changes: [{ file: VALUES, find: "if (setHas(writer.open, value)) ", replace: "if (false) " }],
  },
  {
    name: "result-size",
    about: "The size limit of a result stops the writing, and does not judge it afterwards.",
    changes: [{ file: VALUES, find: "  if (writer.left < 0) {", replace: "  if (false) {" }],
  },
  {
    name: "long-text",
    about: "A text longer than what may still be written is refused before it is written.",
    changes: [{ file: VALUES, find: "  if (text.length > writer.left) put(writer, text);\n", replace: "" }],
  },
  {
    name: "long-bytes",
    about: "Bytes longer than what may still be written are refused before they become base64.",
    changes: [{ file: VALUES, find: "if (typedArrayByteLength(bytes) > writer.left) ", replace: "if (false) " }],
  },
  {
    name: "proto-key",
    about: "A property named __proto__ is left out of every result.",
    changes: [
      { file: VALUES, find: "    if (keys[index] === LEFT_OUT) continue;\n", replace: "" },
      { file: VALUES, find: "if (value === undefined || key === LEFT_OUT) continue;", replace: "if (value === undefined) continue;" },
    ],
  },
  {
    name: "well-formed",
    about: "Lone surrogates in a result become U+FFFD.",
    changes: [{ file: VALUES, find: "jsonStringify(isWellFormed(text) ? text : toWellFormed(text))", replace: "jsonStringify(text)" }],
  },
  {
    name: "forged-brand",
    about: "What an object says it is counts only if the language knows it as that.",
    changes: [
      {
        file: VALUES,
        find: "    plain = unwrap(value);\n  } catch {\n    return false;",
        replace: "    plain = unwrap(value);\n  } catch (thrown) {\n    throw thrown;",
      },
    ],
  },
  {
    name: "forged-collection",
    about: "An object that says it is a Map or a Set and is none is written as what it is.",
    changes: [
      {
        file: VALUES,
        find: "      entries[entries.length] = { __proto__: null, key, value };\n    });\n  } catch {\n    return undefined;",
        replace: "      entries[entries.length] = { __proto__: null, key, value };\n    });\n  } catch (thrown) {\n    throw thrown;",
      },
    ],
  },
  {
    name: "value-read-safely",
    about: "What a getter, toJSON or trap throws while a result is written becomes an error of the border that names the path.",
    changes: [
      {
        file: VALUES,
        find: "  try {\n    return read(value, name);\n  } catch (thrown) {",
        replace: "  try {\n    return read(value, name);\n  } catch (thrown) {\n    throw thrown;",
      },
    ],
  },
  {
    name: "codes-of-the-border",
    about: "The code of a failed call is the one the border gave the error, never what the error says of itself.",
    changes: [
      {
        file: "src/sandbox/guest/endings.js",
        find: 'const code = typeof thrown === "object" && thrown !== null ? weakMapGet(state.codes, thrown) : undefined;',
        replace: "const code = thrown?.code;",
      },
    ],
  },
  {
    name: "content-mark",
    about: "The mark for content fails a result it is put inside of.",
    changes: [
      {
        file: "src/sandbox/guest/bridge.js",
        find: "const content = freeze({ __proto__: null, toJSON });",
        replace: "const content = freeze({ __proto__: null });",
      },
    ],
  },
  {
    name: "error-text",
    about: "The message of an error is cut inside of the isolate.",
    changes: [{ file: ERRORS, find: "    message: cutText(message, maxCharacters),\n", replace: "    message,\n" }],
  },
  {
    name: "error-name",
    about: "The name of an error is cut inside of the isolate.",
    changes: [{ file: ERRORS, find: "name: cutText(name, NAME_CHARACTERS),", replace: "name," }],
  },
  {
    name: "thrown-text",
    about: "The text of a thrown thing that is no error is cut inside of the isolate.",
    changes: [{ file: ERRORS, find: "message: cutText(text, maxCharacters), frames: bareArray()", replace: "message: text, frames: bareArray()" }],
  },
  {
    name: "failure-text",
    about: "The text of g.result.fail is cut inside of the isolate.",
    changes: [
      {
        file: "src/sandbox/guest/bridge.js",
        find: "freeze({ __proto__: null, failed: cutText(text, caps.messageCharacters) })",
        replace: "freeze({ __proto__: null, failed: text })",
      },
    ],
  },
  {
    name: "stack-size",
    about: "A stack is searched for the script's frames in its first 65,536 characters only: a script can make one of any size.",
    changes: [{ file: ERRORS, find: "const stack = stringSlice(wholeStack, 0, STACK_CHARACTERS);", replace: "const stack = wholeStack;" }],
  },
  {
    name: "thrown-read-safely",
    about: "A property of a thrown thing that throws itself counts as absent.",
    changes: [
      {
        file: ERRORS,
        find: '    return typeof value === "string" ? value : undefined;\n  } catch {\n    return undefined;',
        replace: '    return typeof value === "string" ? value : undefined;\n  } catch (again) {\n    throw again;',
      },
    ],
  },
  {
    name: "thrown-shown-safely",
    about: "A thrown thing whose toString fails is told by its properties.",
    changes: [
      {
        file: ERRORS,
        find: '    if (text !== "[object Object]") return text;\n  } catch {',
        replace: '    if (text !== "[object Object]") return text;\n  } catch (again) {\n    throw again;',
      },
    ],
  },
  {
    name: "outcome-room",
    about: "The host lets pass what the guest may send: JSON of content in which every character is escaped once more.",
    changes: [
      {
        file: "src/sandbox/border.ts",
        find: "2 * (caps.resultBytes + base64Length(caps.mediaBytes))",
        replace: "2 * caps.resultBytes + base64Length(caps.mediaBytes)",
      },
    ],
  },
];
