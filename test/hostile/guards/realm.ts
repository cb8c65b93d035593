/** Guards of the realm: what a script could use to get at the border's own objects, or to leave something behind. */
import type { Guard, GuardChange } from "../guards.ts";

/** A realm that is open is refused when it is made; to see what one guard of the hardening stops, that proof goes with it. */
const WITHOUT_PROOF: GuardChange = { file: "src/sandbox/isolate.ts", find: 'if (open !== "") throw', replace: "if (open === undefined) throw" };

const PRIMORDIALS = "src/sandbox/guest/primordials.js";
const HARDEN = "src/sandbox/guest/harden.js";

export const realmGuards: readonly Guard[] = [
  {
    name: "body-check",
    about: "A script is parsed alone, as the body of a function, before it is put into its wrapper: it cannot close the wrapper.",
    changes: [{ file: "src/sandbox/isolate.ts", find: 'if (refusal !== "") return', replace: "if (refusal === undefined) return" }],
  },
  {
    name: "strict-script",
    about: "Scripts are strict code: no `this` that is the global object, no names made by assignment, no way to callers.",
    changes: [
      { file: "src/sandbox/script-wrapper.ts", find: '{"use strict";return(function(){', replace: "{return(function(){" },
      { file: "src/sandbox/guest/prelude.js", find: '`"use strict";\\n${source}`', replace: "source" },
    ],
  },
  {
    name: "strict-border",
    about: "The border inside the isolate is strict code: V8 tells nobody its functions, their arguments or their callers.",
    changes: [{ file: "src/sandbox/realm-sources.ts", find: '(function () { "use strict";\\n', replace: "(function () {\\n" }],
  },
  {
    name: "strict-guests",
    about: "The guest sides of the capabilities are strict code.",
    changes: [{ file: "src/sandbox/realm-script.ts", find: '"use strict";\nreturn [', replace: "return [" }],
  },
  {
    name: "captured-reflect",
    about: "The border took Reflect's functions before any script ran: nobody sees what it calls with what.",
    changes: [
      {
        file: PRIMORDIALS,
        find: "const { apply, construct, ownKeys } = Reflect;",
        replace: "const { construct, ownKeys } = Reflect, apply = (target, self, values) => Reflect.apply(target, self, values);",
      },
    ],
  },
  {
    name: "captured-object",
    about: "The border took Object's functions before any script ran.",
    changes: [
      { file: PRIMORDIALS, find: "  defineProperty,\n  freeze,\n", replace: "" },
      { file: PRIMORDIALS, find: "  keys: objectKeys,\n", replace: "" },
      {
        file: PRIMORDIALS,
        find: "const isArray = Array.isArray;",
        replace:
          "const isArray = (value) => Array.isArray(value), objectKeys = (value) => Object.keys(value), freeze = (value) => Object.freeze(value), defineProperty = (target, name, descriptor) => Object.defineProperty(target, name, descriptor);",
      },
    ],
  },
  {
    name: "captured-text",
    about: "The border took the methods of text before any script ran.",
    changes: [
      {
        file: PRIMORDIALS,
        find: "const stringSlice = uncurry(String.prototype.slice);",
        replace: "const stringSlice = (text, start, end) => text.slice(start, end);",
      },
      {
        file: PRIMORDIALS,
        find: "const toWellFormed = uncurry(String.prototype.toWellFormed);",
        replace: "const toWellFormed = (text) => text.toWellFormed();",
      },
      {
        file: PRIMORDIALS,
        find: "const isWellFormed = uncurry(String.prototype.isWellFormed);",
        replace: "const isWellFormed = (text) => text.isWellFormed();",
      },
    ],
  },
  {
    name: "captured-collections",
    about: "The border took the methods of Map and Set before any script ran.",
    changes: [
      { file: PRIMORDIALS, find: "const setHas = uncurry(Set.prototype.has);", replace: "const setHas = (set, value) => set.has(value);" },
      { file: PRIMORDIALS, find: "const setAdd = uncurry(Set.prototype.add);", replace: "const setAdd = (set, value) => set.add(value);" },
    ],
  },
  {
    name: "captured-promise",
    about: "The border makes its promises with the language's own constructor, taken before any script ran.",
    changes: [
      {
        file: "src/sandbox/guest/bridge.js",
        find: "  return new RawPromise((resolve, reject) => {\n    requireLive(state);",
        replace: "  return new Promise((resolve, reject) => {\n    requireLive(state);",
      },
    ],
  },
  {
    name: "bare-records",
    about: "The table of a call's unanswered host calls has no prototype: a setter on Object.prototype does not get their records.",
    changes: [
      { file: "src/sandbox/guest/calls.js", find: "    hostCalls: 0,\n    pending: { __proto__: null },", replace: "    hostCalls: 0,\n    pending: {}," },
    ],
  },
  {
    name: "removed-collectors",
    about: "WeakRef and FinalizationRegistry are not there: no code of a script runs at a moment of the collector's choosing.",
    changes: [
      {
        file: "src/sandbox/guest/prelude.js",
        find: '"Atomics", "FinalizationRegistry", "WeakRef", "console"',
        replace: '"Atomics", "console"',
      },
      { file: HARDEN, find: '["FinalizationRegistry", "WeakRef", "WebAssembly",', replace: '["WebAssembly",' },
    ],
  },
  {
    name: "removed-tools-of-ses",
    about: "The names that ses adds to the global object are gone before a script runs: no compartments, no hardening by scripts.",
    changes: [
      { file: HARDEN, find: "  const { harden } = globalThis;\n  removeNames();", replace: "  const { harden } = globalThis;" },
      WITHOUT_PROOF,
    ],
  },
  {
    name: "hardened-language",
    about: "Every object of the language that a script can reach is frozen, so that nothing put on it waits for the next call.",
    changes: [
      { file: HARDEN, find: "  hardenIntrinsics();\n  const { harden } = globalThis;", replace: "  const harden = Object.freeze;" },
      WITHOUT_PROOF,
    ],
  },
  {
    name: "mended-constructors",
    about: "The weaker constructors that ses keeps behind prototypes are replaced by the global ones.",
    changes: [{ file: HARDEN, find: "  mendConstructors();\n", replace: "" }, WITHOUT_PROOF],
  },
  {
    name: "hidden-prototypes",
    about: "Prototypes that no name leads to are frozen too.",
    changes: [{ file: HARDEN, find: "  for (const hidden of hiddenPrototypes()) harden(hidden);\n", replace: "" }, WITHOUT_PROOF],
  },
  {
    name: "hardened-global",
    about: "The realm's global object, which every call's own inherits from, is frozen.",
    changes: [{ file: HARDEN, find: "  harden(globalThis);\n", replace: "" }, WITHOUT_PROOF],
  },
  {
    name: "reachable-originals",
    about: "What stands behind an accessor for an inherited method is reachable for the hardening.",
    changes: [{ file: HARDEN, find: '    Object.defineProperty(get, "originalValue", { value });\n', replace: "" }, WITHOUT_PROOF],
  },
];
