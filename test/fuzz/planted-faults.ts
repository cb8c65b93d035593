import type { RunOrder } from "./run.ts";

/** A change of the source that makes the border accept what it must not. */
export interface PlantedFault {
  readonly name: string;
  readonly changes: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

/** The fault that issue 4 names: what a host says of a call that has ended reaches the call all the same. */
export const FINISHED_CALL: PlantedFault = {
  name: "a message is accepted for a finished call",
  changes: [
    { file: "src/sandbox/host-process.ts", find: "        this.#inside.remove(call.callId);\n", replace: "" },
    { file: "src/sandbox/call-order.ts", find: 'if (this.#phase === "done") return', replace: "if (this.#lastSequence < -1) return" },
  ],
};

/** Other faults, on both sides of the border. */
export const OTHER_FAULTS: readonly PlantedFault[] = [
  {
    name: "an unknown field is accepted",
    changes: [
      {
        file: "src/sandbox/border.ts",
        find: "Object.keys(fields).length === Object.keys(shape).length",
        replace: "Object.keys(fields).length >= Object.keys(shape).length",
      },
    ],
  },
  {
    name: "a name of the prototype is accepted as a kind",
    changes: [{ file: "src/sandbox/border.ts", find: "return Object.hasOwn(SHAPES, kind);", replace: "return kind in SHAPES;" }],
  },
  {
    name: "a number is accepted as a text of digits",
    changes: [
      {
        file: "src/sandbox/border.ts",
        find: "Number.isSafeInteger(value) && Number(value) >= 0;",
        replace: "Number.isSafeInteger(Number(value)) && Number(value) >= 0;",
      },
    ],
  },
  {
    name: "an endless number is accepted",
    changes: [{ file: "src/sandbox/border.ts", find: "Number.isFinite(value) && value >= 0;", replace: "value >= 0;" }],
  },
  {
    name: "a host call over its size is accepted",
    changes: [
      {
        file: "src/sandbox/border.ts",
        find: "message.params.length > caps.paramsCharacters",
        replace: "message.params.length > caps.noticeCharacters",
      },
    ],
  },
  {
    name: "the number of a host call is accepted twice",
    changes: [
      { file: "src/sandbox/call-order.ts", find: "if (sequence <= this.#lastSequence)", replace: "if (sequence < this.#lastSequence)" },
    ],
  },
  {
    name: "an isolate is free before its call has an answer",
    changes: [
      {
        file: "src/sandbox/call-order.ts",
        find: 'return end === "busy" && !isStopped ? "was busy at a stop that nobody asked for" : undefined;',
        replace: "return undefined;",
      },
    ],
  },
  {
    name: "a call is prepared again and gets its whole time again",
    changes: [
      { file: "src/sandbox/call-order.ts", find: 'this.#step(this.#phase === "sent", ', replace: 'this.#step(this.#phase !== "done", ' },
    ],
  },
  {
    name: "more host calls than the limit are accepted",
    changes: [
      { file: "src/sandbox/live-call.ts", find: "this.#hostCalls > this.#host.caps.hostCallsPerCall", replace: "this.#hostCalls > 1_000" },
    ],
  },
  {
    name: "an answer to no ping is accepted",
    changes: [{ file: "src/sandbox/host-monitor.ts", find: "!this.#isPingOpen || count !== this.#pings", replace: "count > this.#pings" }],
  },
  {
    name: "an outcome with a name that no guest writes is accepted",
    changes: [{ file: "src/sandbox/script-outcome.ts", find: " || !hasKnownNames(outcome)", replace: "" }],
  },
  {
    name: "an answer goes in twice",
    changes: [
      { file: "src/sandbox/isolate.ts", find: "!call.pending.delete(sequence)", replace: "!call.pending.has(sequence)" },
      { file: "src/sandbox/guest/calls.js", find: "  delete state.pending[sequence];\n", replace: "" },
    ],
  },
  {
    name: "an answer for an ended or unknown id goes to the call that runs",
    changes: [
      {
        file: "src/sandbox/host-calls.ts",
        find: "calls.get(callId)?.isolate?.deliver(callId, ",
        replace: "[...calls.values()].at(-1)?.isolate?.deliver(callId, ",
      },
      { file: "src/sandbox/isolate.ts", find: "call.id !== callId || ", replace: "" },
      {
        file: "src/sandbox/isolate.ts",
        find: "this.#realm.deliver, [callId, sequence, isAnswer, payload]",
        replace: "this.#realm.deliver, [call.id, sequence, isAnswer, payload]",
      },
    ],
  },
  {
    name: "an answer nobody asked for ends the call",
    changes: [
      { file: "src/sandbox/isolate.ts", find: "!call.pending.delete(sequence)", replace: "Number.isNaN(sequence)" },
      { file: "src/sandbox/guest/calls.js", find: "if (waiting === undefined) return;", replace: "" },
    ],
  },
];

/** Takes away what the host's process checks of an answer, so that only the isolate's own checks are left. */
export const GUEST_ALONE: PlantedFault = {
  name: "the isolate alone checks answers",
  changes: [
    {
      file: "src/sandbox/isolate.ts",
      find: "call.id !== callId || call.isDone || !call.pending.delete(sequence)",
      replace: "Number.isNaN(sequence)",
    },
    {
      file: "src/sandbox/host-calls.ts",
      find: "calls.get(callId)?.isolate?.deliver(callId, ",
      replace: "[...calls.values()].at(-1)?.isolate?.deliver(callId, ",
    },
  ],
};

/** All stages, in equal parts. */
export const ALL_STAGES: RunOrder["stages"] = ["lines", "conversations", "guest"];
