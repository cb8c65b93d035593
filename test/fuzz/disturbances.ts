/** One change to the order or the content of what a host says of a call, each message being whole in itself. */
import { SHAPES } from "../../src/sandbox/border.ts";
import { FUZZ_CAPS } from "./caps.ts";
import { KINDS, type Message, makeMessage, strangeContent } from "./grammar.ts";
import type { Random } from "./random.ts";

/** A message of a host, and why it is out of its place, if it is. */
export interface Planned {
  readonly message: Message;
  readonly misplaced?: string;
}

interface Life {
  readonly random: Random;
  readonly callId: string;
  readonly planned: readonly Planned[];
  /** A place in it by chance. */
  readonly at: number;
}

/** Gives the changed life, or undefined where there is nothing to change. */
type Disturbance = (life: Life) => readonly Planned[] | undefined;

/** The life of a call with one message out of its place, or with one that is wrong there. */
export function disturb(random: Random, callId: string, life: readonly Message[]): Planned[] {
  const planned = life.map((message): Planned => ({ message }));
  while (true) {
    const [misplaced, disturbance] = random.pick(DISTURBANCES);
    const changed = disturbance({ random, callId, planned, at: random.int(0, life.length - 1) });
    // The one that is new, or the first that is not where it was.
    const first = changed?.findIndex((one, index) => one !== planned[index]);
    if (changed !== undefined) return changed.map((one, index) => (index === first ? { ...one, misplaced } : one));
  }
}

const DISTURBANCES: readonly (readonly [string, Disturbance])[] = [
  [
    "a message after its next",
    ({ planned, at }) => [...planned.slice(0, at), ...planned.slice(at, at + 2).toReversed(), ...planned.slice(at + 2)],
  ],
  ["a message left out", ({ planned, at }) => planned.toSpliced(at, 1)],
  [
    "a message again",
    ({ planned, at, random }) =>
      planned.toSpliced(random.int(at + 1, planned.length), 0, ...planned.slice(at, at + 1).map(({ message }) => ({ message }))),
  ],
  ["a message after the end", (life) => [...life.planned, { message: anyMessage(life) }]],
  ["a message after the end", (life) => [...life.planned, { message: anyMessage(life) }]],
  ["a message after it was done", (life) => inserted(life, "done", () => anyMessage(life))],
  [
    "the number of a host call again",
    (life) => inserted(life, "hostCall", (call) => ({ ...call, sequence: Number(call.sequence) - life.random.int(0, 1) })),
  ],
  ["more host calls than the limit", (life) => tooManyCalls(life)],
  ["an end that nobody asked for", ({ random, callId, planned, at }) => [...planned.slice(0, at), { message: endOf(random, callId) }]],
  ["content that no guest writes", (life) => strange(life)],
  ["a preparation again", (life) => inserted(life, "started", () => makeMessage(life.random, "preparing", { callId: life.callId }))],
];

/** A message about the call that would be right at another moment. */
function anyMessage({ random, callId }: Life): Message {
  const kind = random.pick(KINDS.filter((one) => Object.hasOwn(SHAPES[one], "callId")));
  return makeMessage(random, kind, { callId, sequence: 99, params: "{}", end: "idle" });
}

function endOf(random: Random, callId: string): Message {
  return makeMessage(random, "free", { callId, end: random.pick(["idle", "busy"]) });
}

/** With a message right after the first of the kind, made from that one. */
function inserted({ planned }: Life, kind: string, make: (message: Message) => Message): readonly Planned[] | undefined {
  const index = planned.findIndex(({ message }) => message.kind === kind);
  return index < 0
    ? undefined
    : planned.toSpliced(index + 1, 0, ...planned.slice(index, index + 1).map(({ message }) => ({ message: make(message) })));
}

/** Of those the last is the one too many. */
function tooManyCalls({ random, callId, planned }: Life): readonly Planned[] | undefined {
  const end = planned.findIndex(({ message }) => message.kind === "done" || message.kind === "free");
  const made = planned.slice(0, end).filter(({ message }) => message.kind === "hostCall").length;
  const calls = Array.from({ length: FUZZ_CAPS.hostCallsPerCall + 1 - made }, (_, index): Planned => {
    return { message: makeMessage(random, "hostCall", { callId, sequence: 100 + index, params: "{}" }) };
  });
  return [...planned.slice(0, end), ...calls, ...planned.slice(end)];
}

function strange({ random, planned }: Life): readonly Planned[] | undefined {
  const fields = planned.map(({ message }) => ["outcome", "params"].find((name) => Object.hasOwn(message, name)));
  const places = fields.flatMap((field, index) => (field === undefined ? [] : [{ field, index }]));
  if (places.length === 0) return undefined;
  // Ends are the richer texts.
  const { field, index } = places.find((place) => place.field === "outcome" && random.chance(0.7)) ?? random.pick(places);
  return planned.map((one, at) => (at === index ? { message: { ...one.message, [field]: strangeContent(random, field) } } : one));
}
