/** Conversations of a host with the server, valid but for one change to some of their messages, up to the first breach. */
import { disturb, type Planned } from "./disturbances.ts";
import { KINDS, type Kind, type Message, makeMessage } from "./grammar.ts";
import { decoded } from "./lines.ts";
import { lineOf, mutate } from "./mutations.ts";
import { Conversation } from "./oracle.ts";
import type { Random } from "./random.ts";
import { count, type Tally } from "./report.ts";

/** What a host says, and what must come of it. */
export interface Script {
  /** Calls in it; of the last one nothing is said but one notice at the end. */
  readonly callIds: readonly string[];
  /** Those the caller gives up at once. */
  readonly cancelled: ReadonlySet<string>;
  readonly before: Buffer;
  readonly after: Buffer;
  readonly expected: Conversation;
  /** What was changed, for a finding. */
  readonly changes: readonly string[];
}

/** Name of the notice that shows that all before it was read. */
export const LAST_NOTICE = "fuzz.last";

const LAST = "-last";

const MOST_MESSAGES = 24;
const END_OF_LINE = Buffer.from("\n");

/** Makes one; counts its messages. */
export function makeConversation(random: Random, tally: Tally, serial: number): Script {
  const callIds = Array.from({ length: random.int(1, 3) }, (_, index) => `c${serial}-${index}`);
  const cancelled = new Set(callIds.filter(() => random.chance(0.15)));
  const last = `c${serial}${LAST}`;
  const script = new Draft(random, tally);
  if (random.chance(0.05)) script.say({ message: randomMessage(random, callIds), misplaced: "a message before readiness" });
  script.say({ message: { kind: "ready" } }, random.chance(0.05));
  const before = script.taken();
  script.oracle.begin([...callIds, last], cancelled);
  // Where much is changed a conversation is short; what takes a longer one to come about needs the others.
  const changeRate = random.pick([0.04, 0.1, 0.6]);
  for (const planned of interleaved(random, callIds, cancelled)) {
    if (script.oracle.end !== undefined) break;
    script.say(planned, planned.misplaced === undefined && random.chance(changeRate));
  }
  script.say({ message: { kind: "notice", callId: last, name: LAST_NOTICE, params: "{}" } });
  return { callIds: [...callIds, last], cancelled, before, after: script.taken(), expected: script.oracle, changes: script.changes };
}

/** What is said so far. */
class Draft {
  readonly oracle = new Conversation();
  readonly changes: string[] = [];
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #history: Buffer[] = [];
  #parts: Buffer[] = [];

  constructor(random: Random, tally: Tally) {
    this.#random = random;
    this.#tally = tally;
  }

  /** One message, in its place or not, changed or not. */
  say({ message, misplaced }: Planned, isChanged = false): void {
    const { open, finished } = this.oracle.callIds();
    // The last call's one notice tells that all was read: nothing else is said of it.
    const around = { open: open.filter((callId) => !callId.endsWith(LAST)), finished, history: this.#history };
    const { name, bytes } = isChanged ? mutate(this.#random, message, around) : { name: misplaced, bytes: lineOf(message) };
    this.#parts.push(bytes, END_OF_LINE);
    this.#history.push(bytes);
    for (const line of decoded(bytes).split("\n")) {
      // What comes after a breach is read by nobody, and is no message of the run.
      const isOver = this.oracle.end !== undefined;
      const isTaken = this.oracle.take(line);
      if (!isOver) count(this.#tally, name, isTaken);
      if (name !== undefined) this.changes.push(`${name}: ${line.slice(0, 200)}`);
    }
  }

  taken(): Buffer {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    return bytes;
  }
}

function randomMessage(random: Random, callIds: readonly string[]): Message {
  return makeMessage(random, random.pick(KINDS), { callId: random.pick(callIds) });
}

/** The lives of the calls, each in its order, mixed by chance; now and then a message that belongs nowhere. */
function* interleaved(random: Random, callIds: readonly string[], cancelled: ReadonlySet<string>): Generator<Planned> {
  const lives = callIds.map((callId) => {
    const life = lifeOf(random, callId, cancelled.has(callId));
    return random.chance(0.35) ? disturb(random, callId, life) : life.map((message): Planned => ({ message }));
  });
  lives.push([{ message: makeMessage(random, "pong", { count: 1 }) }]);
  for (let said = 0; said < MOST_MESSAGES; said += 1) {
    const open = lives.filter((life) => life.length > 0);
    if (open.length === 0) return;
    const planned = random.pick(open).shift();
    if (planned !== undefined) yield planned;
    if (random.chance(0.03)) yield { message: randomMessage(random, callIds), misplaced: "a message that belongs nowhere" };
  }
}

/** All that a host has to say of one call, in its order. */
function lifeOf(random: Random, callId: string, isStopped: boolean): readonly Message[] {
  const say = (kind: Kind, fixed: Message = {}): Message => makeMessage(random, kind, { callId, ...fixed });
  const isNew = random.chance(0.5);
  // A script that does not load is done without a start.
  const isFaulty = isNew && random.chance(0.1);
  const life = isNew ? [say("preparing"), ...(isFaulty ? [] : [say("started")])] : [];
  let sequence = random.int(0, 2);
  for (let left = isFaulty ? 0 : random.pick([0, 1, 1, 2, 2, 3, 9]); left > 0; left -= 1) {
    const isCall = sequence < 9 && random.chance(0.7);
    life.push(isCall ? say("hostCall", { sequence }) : say("notice"));
    if (isCall) sequence += left > 6 ? 1 : random.int(1, 2);
  }
  if (isStopped && random.chance(0.5)) return [...life, say("free", { end: random.pick(["idle", "busy"]) })];
  if (random.chance(0.1)) return [...life, say("free", { end: random.pick(["timeout", "memory", "error"]) })];
  return [...life, say("done"), say("free", { end: "idle" })];
}
