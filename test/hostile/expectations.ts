import type { JsonValue } from "../../src/core/json.ts";

/** How one hostile script ends in each mode of isolation, and the time limit it is given. */
export interface Expectation {
  readonly file: string;
  /** Short where the limit is what must end it; where something else must come first, long enough for a busy machine. */
  readonly limitMs: number;
  readonly tool: JsonValue;
  readonly call: JsonValue;
}

const SHORT_MS = 500;
const LONG_MS = 10_000;

/** Every script of this folder; the first line of each says what is wanted of it. */
export const expectations: readonly Expectation[] = [
  { file: "01-cpu-loop.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "03-cpu-loop-after-await.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "04-cpu-loop-after-http.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "06-microtask-storm.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "07-microtask-fanout.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "09-async-generator-loop.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "10-catch-timeout.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "12-mem-string.js", limitMs: LONG_MS, tool: { code: "OUT_OF_MEMORY" }, call: { code: "OUT_OF_MEMORY" } },
  { file: "13-mem-string-flat.js", limitMs: LONG_MS, tool: { code: "OUT_OF_MEMORY" }, call: { code: "OUT_OF_MEMORY" } },
  { file: "15-mem-resizable-buffer.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "16-mem-wasm-memory.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "18-mem-array-copy.js", limitMs: LONG_MS, tool: { code: "OUT_OF_MEMORY" }, call: { code: "OUT_OF_MEMORY" } },
  { file: "19-mem-array-length.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "21-mem-bigint.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "22-mem-sharedarraybuffer.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "24-recursion-json.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "25-recursion-regex-nest.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "27-redos.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "28-redos-replace.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "30-builtin-indexof.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "31-return-undefined.js", limitMs: LONG_MS, tool: { value: null }, call: { value: null } },
  { file: "33-return-bigint.js", limitMs: LONG_MS, tool: { value: { n: "10" } }, call: { value: { n: "10" } } },
  { file: "34-return-function.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "36-return-getter-throws.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "37-return-getter-loop.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "39-return-thenable.js", limitMs: LONG_MS, tool: { value: 7 }, call: { value: 7 } },
  { file: "40-return-thenable-loop.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "42-return-huge.js", limitMs: LONG_MS, tool: { code: "RESULT_TOO_LARGE" }, call: { code: "RESULT_TOO_LARGE" } },
  { file: "43-throw-non-error.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "45-throw-proxy.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "46-throw-huge-message.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "48-prepare-stack-trace-loop.js", limitMs: SHORT_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "TIMEOUT" } },
  { file: "49-proto-args.js", limitMs: LONG_MS, tool: { value: false }, call: { value: false } },
  { file: "51-proto-pollute-headers.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "INVALID_REQUEST" } },
  { file: "52-object-prototype-setter.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { value: 0 } },
  { file: "54-constructor-escape.js", limitMs: LONG_MS, tool: { value: "undefined,undefined" }, call: { value: "undefined,undefined" } },
  { file: "55-constructor-escape-console.js", limitMs: LONG_MS, tool: { value: "undefined" }, call: { value: "undefined" } },
  { file: "57-function-caller.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "58-eval-inside.js", limitMs: LONG_MS, tool: { value: 3 }, call: { value: 3 } },
  { file: "60-timers-absent.js", limitMs: LONG_MS, tool: { value: "function,function,undefined,function" }, call: { value: "function,function,undefined,function" } },
  { file: "61-globals-list.js", limitMs: LONG_MS, tool: { value: ["setTimeout", "clearTimeout", "fetch", "console", "g", "globalThis", "self", "global"] }, call: { value: ["setTimeout", "clearTimeout", "fetch", "console", "g", "globalThis", "self", "global"] } },
  { file: "63-atomics-waitasync.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "64-console-flood.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "66-console-getter.js", limitMs: LONG_MS, tool: { value: 1 }, call: { value: 1 } },
  { file: "67-http-flood.js", limitMs: LONG_MS, tool: { code: "TOO_MANY_REQUESTS" }, call: { code: "TOO_MANY_REQUESTS" } },
  { file: "69-http-pending-at-return.js", limitMs: LONG_MS, tool: { value: 1 }, call: { value: 1 } },
  { file: "70-http-pending-at-timeout.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "72-main-missing.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "73-main-not-function.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "75-syntax-error.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "76-unhandled-rejection.js", limitMs: LONG_MS, tool: { value: 1 }, call: { value: 1 } },
  { file: "78-intl-memory.js", limitMs: LONG_MS, tool: { value: 3000 }, call: { value: 3000 } },
  { file: "79-finalization-registry.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "81-throw-stack-getter-loop.js", limitMs: SHORT_MS, tool: { code: "TIMEOUT" }, call: { code: "TIMEOUT" } },
  { file: "82-reject-proxy-detached.js", limitMs: LONG_MS, tool: { value: 1 }, call: { value: 1 } },
  { file: "84-wrapper-breakout.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "85-restore-wasm.js", limitMs: LONG_MS, tool: { value: "undefined,undefined,undefined" }, call: { value: "undefined,undefined,undefined" } },
  { file: "87-fake-stack.js", limitMs: LONG_MS, tool: { code: "SCRIPT_ERROR" }, call: { code: "SCRIPT_ERROR" } },
  { file: "88-invalid-size-split.js", limitMs: LONG_MS, tool: { code: "OUT_OF_MEMORY" }, call: { code: "OUT_OF_MEMORY" } },
  { file: "89-invalid-size-match.js", limitMs: LONG_MS, tool: { code: "OUT_OF_MEMORY" }, call: { code: "OUT_OF_MEMORY" } },
];
