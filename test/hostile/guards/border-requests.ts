/** Guards of what a script asks and tells the server while it runs. */
import type { Guard } from "../guards.ts";

const BRIDGE = "src/sandbox/guest/bridge.js";
const FORMAT = "src/sandbox/guest/format.js";
const REQUEST = "src/capabilities/http/guest-request.js";

/** See the head of this file. */
export const requestGuards: readonly Guard[] = [
  {
    name: "parameter-depth",
    about: "Parameters nested deeper than the server takes from a host are refused inside of the isolate.",
    changes: [{ file: BRIDGE, find: "    if (isDeep(params)) throw", replace: "    if (false) throw" }],
  },
  {
    name: "parameter-size",
    about: "Parameters longer than the server takes from a host are refused inside of the isolate.",
    changes: [{ file: BRIDGE, find: "if (params.length > 6 * caps.requestBodyBytes + 65_536) {", replace: "if (false) {" }],
  },
  {
    name: "host-call-count",
    about: "The host calls of one call are counted inside of the isolate, where one too many is an error of the script.",
    changes: [{ file: BRIDGE, find: "if (state.hostCalls >= caps.hostCallsPerCall) {", replace: "if (false) {" }],
  },
  {
    name: "text-body-size",
    about: "The text of a request's body is measured before it leaves the isolate.",
    changes: [{ file: REQUEST, find: "if (bridge.tools.isOver(text, bridge.caps.requestBodyBytes)) ", replace: "if (false) " }],
  },
  {
    name: "bytes-body-size",
    about: "The bytes of a request's body are measured before they leave the isolate.",
    changes: [{ file: REQUEST, find: "if (typedArrayByteLength(bytes) > bridge.caps.requestBodyBytes) ", replace: "if (false) " }],
  },
  {
    name: "own-options",
    about: "Options of a request count only if they are the object's own.",
    changes: [
      {
        file: REQUEST,
        find: "const later = isRecord(second) && hasOwn(second, key) ? second[key] : undefined;",
        replace: "const later = isRecord(second) ? second[key] : undefined;",
      },
    ],
  },
  {
    name: "log-size",
    about: "The log of a call is cut at its limit inside of the isolate.",
    changes: [
      { file: BRIDGE, find: "if (state.logLines <= LOG_LINES && !isOver(text, state.logLeft)) {", replace: "if (state.logLines <= LOG_LINES) {" },
      { file: BRIDGE, find: "formatLine(values, state.logLeft + 1);", replace: "formatLine(values, 10_000_000);" },
    ],
  },
  {
    name: "log-lines",
    about: "The log of a call has at most 2,048 lines, however short.",
    changes: [
      { file: BRIDGE, find: "if (state.logLines <= LOG_LINES && !isOver(text, state.logLeft)) {", replace: "if (!isOver(text, state.logLeft)) {" },
    ],
  },
  {
    name: "log-limit-after-values",
    about: "Whether the log is full is asked again after its values were read, since a Proxy may have logged meanwhile.",
    changes: [
      {
        file: BRIDGE,
        find: "may have logged up to the limit itself.\n  if (state.isLogCut) return;\n",
        replace: "may have logged up to the limit itself.\n",
      },
    ],
  },
  {
    name: "log-reads-no-getters",
    about: "Values are logged by what they hold: no getter runs.",
    changes: [
      {
        file: FORMAT,
        find: "const member = getOwnPropertyDescriptor(value, keys[index]);",
        replace: "const member = { value: value[keys[index]] };",
      },
    ],
  },
  {
    name: "log-never-fails",
    about: "A value that cannot be read is logged as that.",
    changes: [
      {
        file: FORMAT,
        find: "    formatInto(output, value, 0);\n  } catch {",
        replace: "    formatInto(output, value, 0);\n  } catch (thrown) {\n    throw thrown;",
      },
    ],
  },
  {
    name: "error-shown-once",
    about: "To log an error reads its name and message and nothing that would log it again.",
    changes: [
      {
        file: FORMAT,
        find: 'const message = cutText(readText(error, "message") ?? "", max(0, maxCharacters));',
        replace: 'const { message } = describeThrown(error, "", max(0, maxCharacters));',
      },
    ],
  },
  {
    name: "progress-rate",
    about: "After 200 progress messages at most one a second is sent.",
    changes: [
      {
        file: BRIDGE,
        find: "  if (state.progressSent >= PROGRESS_AT_ONCE && now - state.progressAt < PROGRESS_INTERVAL_MS) return;\n",
        replace: "",
      },
    ],
  },
  {
    name: "progress-text",
    about: "A progress message is cut to 200 characters.",
    changes: [
      {
        file: "src/capabilities/run/guest.js",
        find: "params.message = cutText(`${message}`, MESSAGE_CHARACTERS);",
        replace: "params.message = `${message}`;",
      },
    ],
  },
  {
    name: "timer-count",
    about: "A call has at most 1,000 timers waiting and makes 10,000 in all: each is one of the host's.",
    changes: [
      {
        file: BRIDGE,
        find: "if (state.timersWaiting >= TIMERS_WAITING || state.timersMade >= TIMERS_MADE) throw tooManyTimers(state);",
        replace: "",
      },
      { file: BRIDGE, find: "  if (state.timersMade >= TIMERS_MADE) throw tooManyTimers(state);\n", replace: "" },
    ],
  },
  {
    name: "timer-limit-after-delay",
    about: "The limits of timers are looked at after the delay was read, whose valueOf may make timers.",
    changes: [
      { file: BRIDGE, find: "  const wanted = +(delay ?? 0);\n", replace: "" },
      {
        file: BRIDGE,
        find: "throw tooManyTimers(state);\n  const delayMs",
        replace: "throw tooManyTimers(state);\n  const wanted = +(delay ?? 0);\n  const delayMs",
      },
    ],
  },
];
