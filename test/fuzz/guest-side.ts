/**
 * A real host with real isolates, with this process in the place of the server: to scripts that ask and wait go their
 * answers, and between them answers nobody asked for, answers again, answers to other, finished and unknown calls, and
 * every other message about nothing. A script must see each of its answers once and nothing else.
 */
import { isDeepStrictEqual } from "node:util";
import { FUZZ_CAPS } from "./caps.ts";
import { nested } from "./grammar.ts";
import { GuestSession } from "./guest-session.ts";
import { callOf } from "./main-side.ts";
import { Conversation, readLine } from "./oracle.ts";
import type { Random } from "./random.ts";
import { count, find, type Tally } from "./report.ts";
import { brokenMessage, NO_IDS, strayMessage } from "./to-host.ts";
import type { UnderTest } from "./under-test.ts";

/** Which layers of the isolate's border the code has: `guest` where the process's own part of it was taken out. */
export type Layer = "both" | "guest";

/** Sends until that many messages were sent. */
export class GuestFuzz implements AsyncDisposable {
  readonly #code: UnderTest;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #layer: Layer;
  #session: GuestSession | undefined;
  #serial = 0;
  /** Hosts started, also those in place of one that a broken message ended. */
  hosts = 0;

  constructor(code: UnderTest, random: Random, tally: Tally, layer: Layer) {
    this.#code = code;
    this.#random = random;
    this.#tally = tally;
    this.#layer = layer;
  }

  async run(messages: number): Promise<void> {
    const until = this.#tally.messages + messages;
    while (this.#tally.messages < until && this.#tally.findings.length === 0) {
      const session = await this.#open();
      this.#serial += 1;
      const round = new Round(session, this.#random, this.#tally, this.#layer);
      const isBroken = this.#serial % 100 === 0;
      const deviation = isBroken ? await round.breakHost() : await round.call(`g${this.#serial}`);
      if (deviation !== undefined) find(this.#tally, "guest", deviation);
      if (session.isOver) this.#session = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<GuestSession> {
    if (this.#session !== undefined) return this.#session;
    this.hosts += 1;
    this.#session = await GuestSession.open(this.#code);
    return this.#session;
  }
}

/** Something sent: a stray message, or the one answer of a host call. */
interface Step {
  readonly name: string | undefined;
  readonly line: Buffer;
}

/** One call with all that is sent around it. */
class Round {
  readonly #session: GuestSession;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #layer: Layer;
  readonly #expected: string[] = [];
  #converted = 0;
  #callId = "";

  constructor(session: GuestSession, random: Random, tally: Tally, layer: Layer) {
    this.#session = session;
    this.#random = random;
    this.#tally = tally;
    this.#layer = layer;
  }

  /** One call from its beginning to its end; what was wrong, if anything. */
  async call(newId: string): Promise<string | undefined> {
    const random = this.#random;
    const { finished } = this.#session;
    // A host forgets a call with its end: the id of one that has ended is as good as new.
    this.#callId = random.chance(0.1) && finished.length > 0 ? random.pick(finished) : newId;
    const waves = Array.from({ length: random.int(1, 3) }, () => random.int(1, 2));
    const { facts, timeoutMs } = callOf(this.#callId, new AbortController().signal, () => undefined);
    const key = random.pick(["asker", "other"]);
    const isolation = random.chance(0.05) ? "call" : "tool";
    const text = JSON.stringify({ ...facts, args: { waves } });
    this.#step({
      name: undefined,
      line: strayMessage(random, "call", { callId: this.#callId, key, isolation, memoryMb: 64, facts: text, timeoutMs }),
    });
    const stopAt = random.chance(0.1) ? random.int(0, waves.length) : undefined;
    const order = new Conversation();
    order.begin([this.#callId], new Set());
    const deviation = await this.#serve(order, waves, stopAt);
    if (deviation === undefined && this.#callId !== newId) return undefined;
    if (deviation === undefined) finished.push(this.#callId);
    if (finished.length > 50) finished.shift();
    return deviation === undefined ? undefined : `call ${this.#callId} of waves ${JSON.stringify(waves)}: ${deviation}`;
  }

  /** A message that the server never sends: the host goes on, or ends itself. */
  async breakHost(): Promise<string | undefined> {
    const line = brokenMessage(this.#random);
    this.#step({ name: "a broken message", line });
    const last = 4_711_000;
    this.#session.pings.push(last);
    this.#session.send(strayMessage(this.#random, "ping", { count: last }));
    while (true) {
      const heard = await this.#session.next();
      if (heard === undefined)
        return this.#session.isOver ? undefined : `the host neither answered nor ended after ${line.toString().slice(0, 300)}`;
      const message = readLine(heard);
      // It may give back what it was given; the server then ends it.
      if (message === undefined) return this.#session.giveUp();
      if (message.kind !== "pong") continue;
      if (message.count !== this.#session.pings.shift()) return `the host answered a ping with ${message.count}`;
      if (message.count === last) return undefined;
    }
  }

  async #serve(order: Conversation, waves: readonly number[], stopAt: number | undefined): Promise<string | undefined> {
    let first = 0;
    for (const [index, size] of waves.entries()) {
      const asked = await this.#awaitAsked(order, first, size);
      if (asked !== undefined) return asked;
      if (index === stopAt) return await this.#stopped(order);
      for (const step of this.#wave(first, size)) this.#step(step);
      first += size;
    }
    return await this.#ended(order);
  }

  /** Waits for the host calls of a wave. */
  async #awaitAsked(order: Conversation, first: number, size: number): Promise<string | undefined> {
    for (let sequence = first; sequence < first + size; ) {
      const message = await this.#hear(order);
      if (typeof message === "string") return message;
      if (message.kind !== "hostCall") continue;
      if (message.sequence !== sequence) return `the host call ${message.sequence} came instead of ${sequence}`;
      sequence += 1;
    }
    return undefined;
  }

  /** The next message about the call, or what is wrong with what came instead. */
  async #hear(order: Conversation): Promise<{ readonly [name: string]: unknown; readonly kind: string } | string> {
    while (true) {
      const line = await this.#session.next();
      if (line === undefined) return this.#session.isOver ? "the host ended" : "the host was silent";
      const message = readLine(line);
      if (message === undefined) return `the host said ${line.slice(0, 300)}`;
      if (message.kind === "pong") {
        if (message.count !== this.#session.pings.shift()) return `the host answered a ping with ${message.count}`;
        continue;
      }
      return order.take(line) ? message : `the host said in the wrong place ${line.slice(0, 300)}`;
    }
  }

  async #stopped(order: Conversation): Promise<string | undefined> {
    this.#step({ name: undefined, line: strayMessage(this.#random, "stop", { callId: this.#callId }) });
    order.begin([this.#callId], new Set([this.#callId]));
    while (true) {
      const message = await this.#hear(order);
      if (typeof message === "string") return message;
      if (message.kind === "free")
        return message.end === "idle" || message.end === "busy" ? undefined : `a stopped call was free as ${message.end}`;
    }
  }

  async #ended(order: Conversation): Promise<string | undefined> {
    let outcome: unknown;
    while (true) {
      const message = await this.#hear(order);
      if (typeof message === "string") return message;
      if (message.kind === "done") outcome = JSON.parse(String(message.outcome));
      if (message.kind !== "free") continue;
      const value = { seen: this.#expected, converted: this.#converted, polluted: null };
      const expected = { kind: "value", json: JSON.stringify(value) };
      if (message.end !== "idle") return `the call was free as ${message.end}`;
      return isDeepStrictEqual(outcome, expected)
        ? undefined
        : `the script gave ${JSON.stringify(outcome)}, not ${JSON.stringify(expected)}`;
    }
  }

  #step({ name, line }: Step): void {
    this.#session.send(line);
    // A stray message is taken by nobody, whatever it is.
    count(this.#tally, name, false);
  }

  /** The answers of a wave in any order, and stray messages before and after each. */
  #wave(first: number, size: number): readonly Step[] {
    const random = this.#random;
    const open = Array.from({ length: size }, (_, index) => first + index);
    const outcomes = new Map<number, string>();
    const steps: Step[] = [];
    while (open.length > 0) {
      for (let strays = random.int(0, 4); strays > 0; strays -= 1) steps.push(this.#stray(first + size, [...outcomes.keys()]));
      const [sequence = 0] = open.splice(random.int(0, open.length - 1), 1);
      const { name, ok, payload, seen, isConverted } = this.#answer(sequence);
      steps.push({ name, line: strayMessage(random, "answer", { callId: this.#callId, sequence, ok, payload }) });
      outcomes.set(sequence, seen);
      if (isConverted) this.#converted += 1;
    }
    for (const sequence of [...outcomes.keys()].toSorted((a, b) => a - b)) this.#expected.push(outcomes.get(sequence) ?? "");
    // After the last answer the script may ask on: what comes now speaks of what has been answered, or of nothing.
    if (random.chance(0.5)) steps.push(this.#stray(99, [...outcomes.keys()]));
    return steps;
  }

  /** The one answer of a host call, and what the script sees of it. */
  #answer(sequence: number) {
    const tag = `${this.#callId}/${sequence}`;
    const valid = { name: undefined, ok: true, payload: JSON.stringify({ tag }), seen: tag, isConverted: true };
    const refused = { ...valid, name: "a payload changed", seen: "rejected", isConverted: false };
    return this.#random.pick([
      ...[valid, valid, valid, valid, valid],
      { ...valid, ok: false, payload: '{"code":"HOST_NOT_ALLOWED","message":"not there"}', seen: "HOST_NOT_ALLOWED", isConverted: false },
      { ...valid, name: "a payload changed", payload: `{"__proto__":{"tag":"evil"},"tag":${JSON.stringify(tag)}}` },
      { ...valid, name: "a payload changed", payload: `{"tag":"evil","tag":${JSON.stringify(tag)}}` },
      { ...valid, name: "a payload changed", payload: nested(5_000), seen: "undefined" },
      { ...valid, name: "a payload changed", payload: '"\\ud800\\u0000"', seen: "string" },
      { ...valid, name: "a payload changed", payload: "1e400", seen: "number" },
      { ...refused, payload: "" },
      { ...refused, payload: '{"tag":' },
      { ...refused, payload: "NaN" },
      { ...refused, ok: false, payload: "null" },
      { ...refused, ok: false, payload: "not json" },
      { ...refused, payload: JSON.stringify({ tag: "x".repeat(6 * FUZZ_CAPS.responseBodyBytes + 65_536) }), seen: "RESPONSE_TOO_LARGE" },
    ]);
  }

  /** A message that must have no effect. `from`: the first host call that nobody has made yet; `answered`: those that have their answer. */
  #stray(from: number, answered: readonly number[]): Step {
    const random = this.#random;
    const payload = '{"tag":"evil"}';
    const { finished } = this.#session;
    const evil = (name: string, callId: unknown, sequence: unknown, ok: unknown = true): Step => ({
      name,
      line: strayMessage(random, "answer", { callId, sequence, ok, payload }),
    });
    const other = random.pick([...NO_IDS, ...finished.filter((callId) => callId !== this.#callId)]);
    const strays: readonly (() => Step | undefined)[] = [
      () => (answered.length === 0 ? undefined : evil("an answer again", this.#callId, random.pick(answered), random.chance(0.7))),
      () => evil("an answer nobody asked for", this.#callId, from + random.int(0, 3)),
      () => evil("an answer of another call", other, random.pick([...answered, from - 1, from])),
      () => evil("an answer of another call", other, random.int(0, from)),
      () => this.#strangeSequence(),
      () => ({ name: "a stray stop", line: strayMessage(random, "stop", { callId: other }) }),
      () => ({ name: "a stray pause", line: strayMessage(random, random.pick(["pause", "resume"]), { callId: other }) }),
      () => ({ name: "a pause", line: strayMessage(random, random.pick(["pause", "resume"]), { callId: this.#callId }) }),
      () => ({ name: "a stray script", line: strayMessage(random, "script") }),
      () => ({ name: "a stray forget", line: strayMessage(random, "forget") }),
      () => this.#ping(),
    ];
    while (true) {
      const stray = random.pick(strays)();
      if (stray !== undefined) return stray;
    }
  }

  #strangeSequence(): Step | undefined {
    const line = strayMessage(this.#random, "answer", { callId: this.#callId });
    // Objects do not go into an isolate at all; only the process's own part of the border keeps them away from that.
    const isForProcess = this.#layer === "guest" && /"sequence":[[{]/.test(line.toString());
    return isForProcess ? undefined : { name: "an answer of a strange number", line };
  }

  #ping(): Step {
    const pinged = this.#random.int(0, 1_000_000);
    this.#session.pings.push(pinged);
    return { name: undefined, line: strayMessage(this.#random, "ping", { count: pinged }) };
  }
}
