/** Guards of what crosses the border of a realm. */
import type { Guard } from "../guards.ts";
import { requestGuards } from "./border-requests.ts";
import { valueGuards } from "./border-values.ts";

const PRIMORDIALS = "src/sandbox/guest/primordials.js";

export const borderGuards: readonly Guard[] = [
  ...valueGuards,
  ...requestGuards,
  {
    name: "own-json",
    about: "The border writes and reads JSON with the functions the language had before any script ran.",
    changes: [
      {
        file: PRIMORDIALS,
        find: "const { parse: jsonParse, stringify: jsonStringify } = JSON;",
        replace: "const jsonParse = (text) => JSON.parse(text), jsonStringify = (value) => JSON.stringify(value);",
      },
    ],
  },
  {
    name: "own-weak-maps",
    about: "The border took the methods of weak maps and sets before any script ran: what it knows of an object cannot be changed.",
    changes: [
      {
        file: PRIMORDIALS,
        find: "const weakMapGet = uncurry(WeakMap.prototype.get);",
        replace: "const weakMapGet = (map, key) => map.get(key);",
      },
      {
        file: PRIMORDIALS,
        find: "const weakSetHas = uncurry(WeakSet.prototype.has);",
        replace: "const weakSetHas = (set, key) => set.has(key);",
      },
    ],
  },
  {
    name: "bare-lists",
    about: "Lists of the border have no prototype: a setter on Array.prototype does not get their members.",
    changes: [{ file: PRIMORDIALS, find: "const bareArray = () => setPrototypeOf([], null);", replace: "const bareArray = () => [];" }],
  },
  {
    name: "bare-descriptors",
    about: "Descriptors of the border have no prototype: a getter put on Object.prototype does not become theirs.",
    changes: [
      {
        file: PRIMORDIALS,
        find: "{ __proto__: null, value, writable: true, configurable: true, enumerable }",
        replace: "{ value, writable: true, configurable: true, enumerable }",
      },
    ],
  },
  {
    name: "first-rejection",
    about: "The first rejection of every turn is the border's, so that the library never reads what a script rejected with.",
    changes: [
      { file: "src/sandbox/guest/calls.js", find: "  turnPromise = rejectTurn();\n", replace: "" },
      {
        file: "src/sandbox/isolate.ts",
        find: '.then(() => ended(new Error("a turn ended without its mark")), ended);',
        replace: ".then(() => ended(TURN_MARK), ended);",
      },
    ],
  },
  {
    name: "no-source-url",
    about: "The last sourceURL of a script's code is ours and empty: it keeps its own name in stacks.",
    changes: [{ file: "src/sandbox/script-wrapper.ts", find: "\\n//# sourceURL=`", replace: "`" }],
  },
];
