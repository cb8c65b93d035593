/**
 * What the protocol allows a host to say, written down a second time, by hand, from what it promises and without a look
 * at the code that enforces it. A line is judged alone by `readLine`; what it means in its place, by `Conversation`.
 */
import { FUZZ_BOUNDS, FUZZ_CAPS } from "./caps.ts";

/** The message of a line, or undefined if no host may send that line. */
export type Reading = Readonly<Record<string, unknown>> & { readonly kind: string };

/** What a call is told, in the order it is told: `[callId, "call" or "notice", name, parameters]`. */
export type Effect = readonly [string, string, string, unknown];

/** How a call must end. */
export type Ending = { readonly value: unknown } | { readonly blocks: unknown } | { readonly code: string };

type Rule = (value: unknown) => boolean;

const isName: Rule = (value) => typeof value === "string" && value.length >= 1 && value.length <= 128;
const isAtLeastZero: Rule = (value) => typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
const isWhole: Rule = (value) => isAtLeastZero(value) && Number(value) % 1 === 0 && Number(value) <= 9_007_199_254_740_991;

function isMethod(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const parts = value.split(".");
  const isWord = (part: string): boolean =>
    part.length >= 1 &&
    part.length <= 32 &&
    [...part].every((letter) => (letter >= "a" && letter <= "z") || (letter >= "A" && letter <= "Z"));
  return parts.length === 2 && parts.every(isWord);
}

function isTextUpTo(characters: number): Rule {
  return (value) => typeof value === "string" && value.length <= characters;
}

const ENDS = ["idle", "busy", "timeout", "memory", "error"];

const ALLOWED: ReadonlyMap<string, Readonly<Record<string, Rule>>> = new Map<string, Readonly<Record<string, Rule>>>([
  ["ready", {}],
  ["fatal", { message: isTextUpTo(4_096) }],
  ["preparing", { callId: isName }],
  ["started", { callId: isName }],
  ["hostCall", { callId: isName, sequence: isWhole, method: isMethod, params: isTextUpTo(FUZZ_BOUNDS.paramsCharacters) }],
  ["notice", { callId: isName, name: isMethod, params: isTextUpTo(FUZZ_BOUNDS.noticeCharacters) }],
  ["done", { callId: isName, outcome: isTextUpTo(FUZZ_BOUNDS.outcomeCharacters), cpuMs: isAtLeastZero }],
  ["free", { callId: isName, end: (value) => typeof value === "string" && ENDS.includes(value), cpuMs: isAtLeastZero }],
  ["pong", { count: isWhole, rssMb: isAtLeastZero, cpuMs: isAtLeastZero }],
]);

/** The message of a line, if any host may ever send it. */
export function readLine(line: string): Reading | undefined {
  const value = readJson(line);
  if (!isObject(value)) return undefined;
  const { kind } = value;
  const rules = typeof kind === "string" ? ALLOWED.get(kind) : undefined;
  if (rules === undefined || typeof kind !== "string") return undefined;
  const names = ["kind", ...Object.keys(rules)].toSorted();
  if (JSON.stringify(Reflect.ownKeys(value).toSorted()) !== JSON.stringify(names)) return undefined;
  return Object.entries(rules).every(([name, rule]) => rule(value[name])) ? { ...value, kind } : undefined;
}

/** A call as the protocol sees it. */
interface CallModel {
  phase: "sent" | "preparing" | "running" | "done" | "gone";
  /** The server has told the host to stop it. */
  isStopped: boolean;
  ending: Ending | undefined;
  sequence: number;
  hostCalls: number;
  notices: number;
  noticeCharacters: number;
}

/** One host and the calls in it, from the server's first word on. */
export class Conversation {
  readonly effects: Effect[] = [];
  readonly #calls = new Map<string, CallModel>();
  #isReady = false;
  #pongsOpen = 0;
  /** The host is over: by a breach of the protocol, or by its own word. */
  end: "breach" | "fatal" | undefined;

  /** The server puts calls in; those of `stopped` it has told to stop at once. Its one ping is open from then on. */
  begin(callIds: readonly string[], stopped: ReadonlySet<string>): void {
    this.#pongsOpen = 1;
    for (const callId of callIds) {
      const isStopped = stopped.has(callId);
      const ending = isStopped ? { code: "CANCELLED" } : undefined;
      this.#calls.set(callId, { phase: "sent", isStopped, ending, sequence: -1, hostCalls: 0, notices: 0, noticeCharacters: 0 });
    }
  }

  /** The line comes in; false: no host may send it here. After the end nothing matters any more. */
  take(line: string): boolean {
    if (this.end !== undefined) return false;
    const message = readLine(line);
    const isAllowed = message !== undefined && this.#allows(message);
    if (!isAllowed) this.end = "breach";
    else if (message.kind === "fatal") this.end = "fatal";
    return isAllowed;
  }

  /** How each call must end, with `rest` for those that have no end yet when the host is ended. */
  endings(rest: string): ReadonlyMap<string, Ending> {
    return new Map([...this.#calls].map(([callId, { ending }]) => [callId, ending ?? { code: rest }]));
  }

  /** Ids of calls that may be spoken of, and of those that may not any more. */
  callIds(): { readonly open: readonly string[]; readonly finished: readonly string[] } {
    const ids = (isGone: boolean): string[] => [...this.#calls].filter(([, { phase }]) => (phase === "gone") === isGone).map(([id]) => id);
    return { open: ids(false), finished: ids(true) };
  }

  #allows(message: Reading): boolean {
    if (message.kind === "fatal") return true;
    if (message.kind === "ready") {
      const isFirst = !this.#isReady;
      this.#isReady = true;
      return isFirst;
    }
    if (message.kind === "pong") {
      const isAsked = this.#pongsOpen === 1 && message.count === 1;
      if (isAsked) this.#pongsOpen = 0;
      return isAsked;
    }
    const callId = String(message.callId);
    const call = this.#calls.get(callId);
    return call !== undefined && call.phase !== "gone" && this.#allowsOfCall(callId, call, message);
  }

  #allowsOfCall(callId: string, call: CallModel, message: Reading): boolean {
    const { phase } = call;
    switch (message.kind) {
      case "preparing":
        call.phase = "preparing";
        return phase === "sent";
      case "started":
        call.phase = "running";
        return phase === "preparing";
      case "hostCall":
        return this.#isRunning(call) && this.#allowsHostCall(callId, call, message);
      case "notice":
        return this.#isRunning(call) && this.#allowsNotice(callId, call, message);
      case "done":
        return phase !== "done" && this.#allowsDone(call, String(message.outcome));
      default:
        return allowsFree(call, String(message.end));
    }
  }

  /** Without a word about its preparation a call runs from the beginning. */
  #isRunning(call: CallModel): boolean {
    if (call.phase === "sent") call.phase = "running";
    return call.phase === "running";
  }

  #allowsHostCall(callId: string, call: CallModel, { sequence, method, params }: Reading): boolean {
    if (Number(sequence) <= call.sequence) return false;
    call.sequence = Number(sequence);
    call.hostCalls += 1;
    if (call.ending !== undefined) return true;
    const value = readJson(String(params));
    if (call.hostCalls > FUZZ_CAPS.hostCallsPerCall || value === undefined) return false;
    this.effects.push([callId, "call", String(method), value]);
    return true;
  }

  #allowsNotice(callId: string, call: CallModel, { name, params }: Reading): boolean {
    if (call.ending !== undefined) return true;
    call.notices += 1;
    call.noticeCharacters += String(params).length;
    const value = readJson(String(params));
    if (call.notices > 10_000 || call.noticeCharacters > FUZZ_BOUNDS.noticeCharacters || value === undefined) return false;
    this.effects.push([callId, "notice", String(name), value]);
    return true;
  }

  #allowsDone(call: CallModel, outcome: string): boolean {
    call.phase = "done";
    if (call.ending !== undefined) return true;
    call.ending = endingOf(outcome);
    return call.ending !== undefined;
  }
}

function allowsFree(call: CallModel, end: string): boolean {
  const wasDone = call.phase === "done";
  call.phase = "gone";
  switch (end) {
    case "idle":
      return wasDone || call.isStopped;
    case "busy":
      return call.isStopped;
    case "timeout":
      call.ending ??= { code: "TIMEOUT" };
      return true;
    case "memory":
      call.ending ??= { code: "OUT_OF_MEMORY" };
      return true;
    default:
      call.ending ??= { code: "SANDBOX_CRASHED" };
      return true;
  }
}

const OUTCOME_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["value", ["json"]],
  ["content", ["json"]],
  ["failed", ["message", "json"]],
  ["error", ["name", "message", "code", "file", "line", "column", "frames"]],
]);

/** Codes that the border inside an isolate gives itself. Of others a host can know only those it was answered with. */
const CODES_INSIDE = [
  ...["SCRIPT_ERROR", "RESULT_TOO_LARGE", "TOO_MANY_REQUESTS", "SECRET_ACCESS_DENIED", "INVALID_REQUEST", "INVALID_ARGUMENTS"],
  "RESPONSE_TOO_LARGE",
  "RESPONSE_NOT_JSON",
];

/** How a call ends by this text, or undefined if no guest writes it. */
function endingOf(outcome: string): Ending | undefined {
  const value = readJson(outcome);
  if (!isObject(value) || typeof value.kind !== "string") return undefined;
  const names = OUTCOME_NAMES.get(value.kind);
  const isKnown = (name: string | symbol): boolean => name === "kind" || names?.includes(String(name)) === true;
  if (names === undefined || !Reflect.ownKeys(value).every(isKnown)) return undefined;
  const { kind, json, name, message, code } = value;
  if (kind === "error") {
    if (typeof name !== "string" || typeof message !== "string") return undefined;
    return { code: typeof code === "string" && CODES_INSIDE.includes(code) ? code : "SCRIPT_ERROR" };
  }
  if (kind === "failed" && typeof message !== "string") return undefined;
  if (kind === "failed" && json === undefined) return { code: "SCRIPT_ERROR" };
  if (typeof json !== "string") return undefined;
  const most = FUZZ_CAPS.resultBytes + (kind === "value" ? 0 : 4 * Math.ceil(FUZZ_CAPS.mediaBytes / 3));
  if (Buffer.byteLength(json) > most) return { code: "RESULT_TOO_LARGE" };
  const result = readJson(json);
  if (kind === "value") return result === undefined ? undefined : { value: result };
  if (!isObject(result) || !Array.isArray(result.blocks)) return undefined;
  return kind === "failed" ? { code: "SCRIPT_ERROR" } : { blocks: result.blocks };
}

/** JSON nested at most a thousand deep; undefined for anything else. */
function readJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // That it is no JSON is the answer.
    return undefined;
  }
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const containers = level.filter((one): one is object => typeof one === "object" && one !== null);
    if (depth === 1_000 && containers.length > 0) return undefined;
    level = containers.flatMap((one): readonly unknown[] => Object.values(one));
  }
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
