import type { FromHost } from "./border.ts";

/** A message from a host about one call. */
export type CallMessage = Exclude<FromHost, { kind: "ready" | "fatal" | "pong" }>;

/**
 * The order in which a host may tell about one call: `preparing` and `started` if its isolate has to be made, host calls
 * with rising numbers and notices, `done`, `free`. A script that does not load is done without a start; `free` may come
 * at any time, with the ends that are possible then. Anything else would let a host move the call's clock, or leave the
 * call without an answer.
 */
export class CallOrder {
  #phase: "sent" | "preparing" | "running" | "done" = "sent";
  #lastSequence = -1;

  /** What is wrong with the message at this place, to follow "a call"; undefined if nothing is. `isStopped`: the host was told to stop the call. */
  take(message: CallMessage, isStopped: boolean): string | undefined {
    switch (message.kind) {
      case "preparing":
        return this.#step(this.#phase === "sent", "preparing", "prepares twice");
      case "started":
        return this.#step(this.#phase === "preparing", "running", "starts twice");
      case "hostCall":
        return this.#run("calls the server") ?? this.#count(message.sequence);
      case "notice":
        return this.#run("sends a notice");
      case "done":
        return this.#step(this.#phase !== "done", "done", "ends twice");
      case "free":
        return this.#free(message.end, isStopped);
    }
  }

  #step(isNext: boolean, phase: "preparing" | "running" | "done", wrong: string): string | undefined {
    if (!isNext) return wrong;
    this.#phase = phase;
    return undefined;
  }

  #run(what: string): string | undefined {
    if (this.#phase === "done") return `${what} after its end`;
    if (this.#phase === "preparing") return `${what} before its start`;
    this.#phase = "running";
    return undefined;
  }

  #count(sequence: number): string | undefined {
    if (sequence <= this.#lastSequence) return "uses the number of a host call twice";
    this.#lastSequence = sequence;
    return undefined;
  }

  /** `idle` and `busy` answer nothing themselves: the call must have its answer, or the server must have asked for its end. */
  #free(end: Extract<CallMessage, { kind: "free" }>["end"], isStopped: boolean): string | undefined {
    if (end === "idle" && this.#phase !== "done" && !isStopped) return "is free without an answer";
    return end === "busy" && !isStopped ? "was busy at a stop that nobody asked for" : undefined;
  }
}
