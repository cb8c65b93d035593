/** Guards between calls, tools and agents, and of what a script could learn of the server. */
import type { Guard, GuardChange } from "../guards.ts";

/** A realm that is open is refused when it is made; to see what one guard of it stops, that proof goes with it. */
const WITHOUT_PROOF: GuardChange = { file: "src/sandbox/isolate.ts", find: 'if (open !== "") throw', replace: "if (open === undefined) throw" };

const BRIDGE = "src/sandbox/guest/bridge.js";
const HARDEN = "src/sandbox/guest/harden.js";
const CALLS = "src/sandbox/guest/calls.js";
const POOL = "src/sandbox/isolate-pool.ts";
const ISOLATE = "src/sandbox/isolate.ts";

export const leakGuards: readonly Guard[] = [
  {
    name: "one-isolate-per-call",
    about: 'In mode "call" an isolate is never given to a second call.',
    changes: [
      { file: POOL, find: '    if (request.isolation === "call") return undefined;\n', replace: "" },
      { file: POOL, find: 'if (request.isolation === "call" || isWorn) {', replace: "if (isWorn) {" },
    ],
  },
  {
    name: "one-script-per-isolate",
    about: "A kept isolate is given only to calls of the script that is loaded in it.",
    changes: [{ file: POOL, find: "kept.script.key === wanted.script.key && kept.memoryMb", replace: "kept.memoryMb" }],
  },
  {
    name: "hosts-of-one-agent",
    about: "Calls of two agents never share a process.",
    changes: [
      {
        file: "src/sandbox/host-lanes.ts",
        find: "`${agent}\\npart\\n${partOf(tool, this.#options.hostsPerAgent)}`",
        replace: '"all"',
      },
    ],
  },
  {
    name: "global-of-one-call",
    about: "Each call has a global object of its own.",
    changes: [
      {
        file: BRIDGE,
        find: "  const scope = objectCreate(realGlobal);\n  new ScopeMark(scope, state);\n",
        replace: "  const scope = (openScope.kept ??= objectCreate(realGlobal));\n  if (ScopeMark.stateOf(scope) === undefined) new ScopeMark(scope, state);\n",
      },
      WITHOUT_PROOF,
    ],
  },
  {
    name: "errors-of-one-call",
    about: "No call decides over the stacks of the next: the global Error has no setters of the engine, and the engine's own is frozen.",
    changes: [
      { file: HARDEN, find: "  mendErrors(realm.rawError);\n", replace: "" },
      { file: HARDEN, find: "  hardenIntrinsics();\n  const { harden } = globalThis;", replace: "  const harden = Object.freeze;" },
      WITHOUT_PROOF,
    ],
  },
  {
    name: "web-names-of-one-call",
    about: "The web's classes are made for each call.",
    changes: [
      { file: CALLS, find: "    web: { __proto__: null },", replace: "    web: (openCall.web ??= { __proto__: null })," },
      WITHOUT_PROOF,
    ],
  },
  {
    name: "blobs-of-one-call",
    about: "The object that becomes a File is a Blob of the call, whatever the script made the parent of the class File.",
    changes: [
      { file: "src/sandbox/guest/web-files.js", find: "      const blob = blobs.of(this);\n", replace: "" },
      { file: "src/sandbox/guest/web-files.js", find: "blob.fileName = toUsv(name);", replace: "blobs.of(this).fileName = toUsv(name);" },
    ],
  },
  {
    name: "targets-of-one-call",
    about: "The object that becomes an AbortSignal is an EventTarget of the call, whatever the script made the parent of that class.",
    changes: [{ file: "src/sandbox/guest/web-abort.js", find: "      requireTarget(this);\n", replace: "" }],
  },
  {
    name: "end-of-a-call",
    about: "A call that has ended has no timers and requests, and its g, fetch and console do nothing: kept by host, guest and each function of g.",
    changes: [
      {
        file: "src/sandbox/running-call.ts",
        find: "  for (const timer of call.timers.values()) clearTimeout(timer);\n  call.timers.clear();\n}",
        replace: "}",
      },
      {
        file: CALLS,
        find: "  state.pending = { __proto__: null };\n  state.timers = { __proto__: null };\n  delete liveCalls[state.id];\n",
        replace: "",
      },
      { file: BRIDGE, find: "  if (state.isLive) return;\n  throw", replace: "  return;\n  throw" },
    ],
  },
  {
    name: "names-of-the-border",
    about: "The border's code has a made-up file name in stacks, none of this machine.",
    changes: [{ file: ISOLATE, find: '"toolyard:border"', replace: "import.meta.filename" }],
  },
  {
    name: "names-of-the-hardening",
    about: "The code of the hardening, which stays behind in accessors, has a made-up file name in stacks.",
    changes: [{ file: ISOLATE, find: 'evaluate(harden, "toolyard:harden")', replace: "evaluate(harden, import.meta.filename)" }],
  },
  {
    name: "errors-of-the-server",
    about: "An error of the server that was not made for callers reaches a script as the id of its call.",
    changes: [
      {
        file: "src/sandbox/live-call.ts",
        find: "const { code, message } = toCallerError(error, this.call.callId);",
        replace: 'const { code, message } = { ...toCallerError(error, this.call.callId), message: (error as Error).message };',
      },
    ],
  },
  {
    name: "parser-is-not-quoted",
    about: "That an answer is not JSON is told without the parser's message, which quotes the answer.",
    changes: [
      {
        file: "src/capabilities/http/guest-answer.js",
        find: "  } catch {\n    return undefined;",
        replace: "  } catch (thrown) {\n    throw thrown;",
      },
      {
        file: "src/sandbox/guest/web-body.js",
        find: "return { __proto__: null, value: jsonParse(text) };\n  } catch {\n    return undefined;",
        replace: "return { __proto__: null, value: jsonParse(text) };\n  } catch (thrown) {\n    throw thrown;",
      },
    ],
  },
  {
    name: "empty-environment",
    about: "A host gets no environment. The removal gives it the server's, with the zone and language of somebody's machine in it.",
    changes: [
      {
        file: "src/sandbox/host-launch.ts",
        find: "spawn(program, args, { env: {},",
        replace: 'spawn(program, args, { env: { ...process.env, TZ: "Antarctica/Troll", LC_ALL: "fo_FO.UTF-8" },',
      },
    ],
  },
];
