/** Guards of time and memory. */
import type { Guard } from "../guards.ts";

const PRELUDE = "src/sandbox/guest/prelude.js";
const HARDEN = "src/sandbox/guest/harden.js";

export const limitGuards: readonly Guard[] = [
  {
    name: "time-limit",
    about: "The server answers TIMEOUT at the limit and stops the call; the host's own clock would do so a second later.",
    changes: [
      {
        file: "src/sandbox/live-call.ts",
        find: "this.#limit.set(this.call.timeoutMs, () => this.#onTimeLimit());",
        replace: "this.#limit.set(600_000, () => this.#onTimeLimit());",
      },
      { file: "src/sandbox/host-calls.ts", find: "timeoutMs: message.timeoutMs + LATER_LIMIT_MS },", replace: "timeoutMs: 600_000 }," },
    ],
  },
  {
    name: "after-answer-limit",
    about: "What a script leaves behind may run half a second after its answer; then its isolate is ended.",
    changes: [
      {
        file: "src/sandbox/live-call.ts",
        find: "this.#limit.set(AFTER_ANSWER_MS, () => this.#stop({ isOwnFault: true }));",
        replace: "",
      },
      { file: "src/sandbox/host-calls.ts", find: "timeoutMs: message.timeoutMs + LATER_LIMIT_MS },", replace: "timeoutMs: 600_000 }," },
    ],
  },
  {
    name: "dirty-host",
    about: "A host in which a script went on computing past its end is replaced and killed: not all of V8 can be interrupted.",
    changes: [
      {
        file: "src/sandbox/host-process.ts",
        find: '        this.#giveUp("ran a script that went on computing past its end", "call", misbehaviour.isOwnFault ? call : undefined);\n',
        replace: "",
      },
      { file: "src/sandbox/host-monitor.ts", find: 'if (cpuMs - idle.cpuMs > IDLE_CPU_MS) return "busy-while-idle";', replace: "" },
    ],
  },
  {
    name: "random-budget",
    about: "A call takes at most 4 MiB of randomness, each piece of which the isolate waits for the host.",
    changes: [{ file: "src/sandbox/guest/web-time.js", find: "if (state.randomTaken + length > RANDOM_BYTES) {", replace: "if (length < 0) {" }],
  },
  {
    name: "removed-webassembly",
    about: "WebAssembly is not there: its memories are outside of the isolate's limit. (In a hardened realm a second list removes it.)",
    changes: [{ file: PRELUDE, find: '"WebAssembly", "SharedArrayBuffer", "Atomics", "Fin', replace: '"SharedArrayBuffer", "Atomics", "Fin' }],
  },
  {
    name: "removed-shared-buffers",
    about: "Shared buffers and Atomics are not there: they grow beyond the isolate's limit, and a thread can wait on them.",
    changes: [
      { file: PRELUDE, find: '"SharedArrayBuffer", "Atomics", "Fin', replace: '"Fin' },
      { file: HARDEN, find: '"WebAssembly", "SharedArrayBuffer", "Atomics"]', replace: '"WebAssembly"]' },
    ],
  },
  {
    name: "removed-buffer-growth",
    about: "Buffers have no resize and no transfer: what they grow by is outside of the isolate's limit.",
    changes: [{ file: PRELUDE, find: "delete RawArrayBuffer.prototype[bufferNames[index]];", replace: ";" }],
  },
  {
    name: "isolate-memory",
    about: "An isolate is made with the script's memory limit, which V8 and the library hold for its heap and its buffers.",
    changes: [{ file: "src/sandbox/isolate.ts", find: "{ memoryLimit: options.memoryMb,", replace: "{ memoryLimit: 2_048," }],
  },
  {
    name: "host-memory",
    about: "A host over its memory is killed: not everything that V8 takes counts against the limit of an isolate.",
    changes: [{ file: "src/sandbox/host-monitor.ts", find: 'if (this.#figures.rssMb > this.#host.ceilingMb()) return "memory";', replace: "" }],
  },
  {
    name: "told-as-memory",
    about: "Whoever ends an isolate over its memory, the library or V8 with the whole process, tells it as such: the caller learns what to change.",
    changes: [
      {
        file: "src/sandbox/isolate-contract.ts",
        find: "if (/memory limit|allocation failed/.test(message)) return",
        replace: "if (message === undefined) return",
      },
      { file: "src/sandbox/host.ts", find: "process.kill(process.pid, OUT_OF_MEMORY_SIGNAL);", replace: "killSelf();" },
      { file: "src/sandbox/host.ts", find: "if (callId !== undefined) writeAtOnce(", replace: 'if (callId === "") writeAtOnce(' },
      { file: "src/sandbox/host-process.ts", find: "this.#lastWords.areOfMemory()", replace: "false" },
    ],
  },
  {
    name: "buffer-words",
    about: "A buffer that cannot be had is the script's memory limit, also where the script could have caught the error.",
    changes: [
      {
        file: "src/sandbox/script-outcome.ts",
        find: 'if (name === "RangeError" && message === "Array buffer allocation failed") return',
        replace: "if (name === undefined) return",
      },
    ],
  },
  {
    name: "worn-isolate",
    about: "An isolate whose heap is over half of its limit after a call is dropped: what a call fills, the next does not find full.",
    changes: [{ file: "src/sandbox/isolate-pool.ts", find: " || isolate.heapUsedMb() > request.memoryMb / 2;", replace: ";" }],
  },
];
