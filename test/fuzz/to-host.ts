/** Messages of the server to a host, from the types of the protocol: a field or kind it gains does not compile here until it is made. */
import type { ToHost } from "../../src/sandbox/border.ts";
import { nested } from "./grammar.ts";
import { lineOf } from "./mutations.ts";
import type { Random } from "./random.ts";

/** The fields of one kind. */
type FieldsOf<Kind> = ToHost extends infer Message
  ? Message extends { readonly kind: infer Kinds }
    ? Kind extends Kinds
      ? Exclude<keyof Message, "kind">
      : never
    : never
  : never;

/** The kinds that are sent after the first, which is `init`. */
type LaterKind = Exclude<ToHost["kind"], "init">;

type Maker = (random: Random) => unknown;

/** Ids of no call. */
export const NO_IDS: readonly string[] = ["", "nobody", "__proto__", "constructor", "c".repeat(200), "\ud800", "0"];

/** Numbers and other things that no host call has. */
const NO_SEQUENCES: readonly unknown[] = [-1, 0.5, 99, 2 ** 53, 1e300, "99", "__proto__", "length", null, true, [99], { "0": 99 }];

const PAYLOADS = ["{}", "null", "", "{", '{"__proto__":{"tag":"evil"}}', nested(1_000), '"\\ud800"'];

const id: Maker = (random) => random.pick(NO_IDS);
const text: Maker = (random) => random.pick(PAYLOADS);
const flag: Maker = (random) => random.pick([true, false]);
const number: Maker = (random) => random.pick([0, 1, -1, 1e9]);

const MAKERS: { readonly [Kind in LaterKind]: { readonly [Name in FieldsOf<Kind>]: Maker } } = {
  script: { key: id, source: (random) => random.pick(["", "}", "async function main() {}"]), file: id, entry: () => "main" },
  forget: { key: id },
  call: { callId: id, key: id, isolation: (random) => random.pick(["tool", "call"]), memoryMb: number, facts: text, timeoutMs: number },
  answer: { callId: id, sequence: (random) => random.pick(NO_SEQUENCES), ok: flag, payload: text },
  stop: { callId: id },
  pause: { callId: id },
  resume: { callId: id },
  ping: { count: number },
};

/** A message about nothing that there is, with these fields instead. */
export function strayMessage(random: Random, kind: LaterKind, fixed: Readonly<Record<string, unknown>> = {}): Buffer {
  const made = Object.entries(MAKERS[kind]).map(([name, maker]) => [name, maker(random)]);
  return lineOf({ kind, ...Object.fromEntries(made), ...fixed });
}

/** A message that is broken in itself. A host may end itself over it, since its server never sends one. */
export function brokenMessage(random: Random): Buffer {
  const kind = random.pick(["script", "forget", "answer", "stop", "pause", "resume", "call"] as const);
  const line = strayMessage(random, kind).toString();
  const at = random.int(0, line.length - 1);
  const field = Object.keys(MAKERS[kind]).at(0) ?? "";
  const wrong = random.pick([null, 7, {}, [], ["c"], true]);
  return random.pick([
    Buffer.from(line.slice(0, at)),
    Buffer.from(line + line),
    Buffer.from(`[${line}]`),
    Buffer.concat([Buffer.from(line.slice(0, at)), Buffer.from([0xff]), Buffer.from(line.slice(at))]),
    Buffer.from(random.pick(["null", "1", "{}", '{"kind":"toString"}', '{"kind":"call"}', '{"kind":"answer"}', '{"kind":null}'])),
    strayMessage(random, kind, { [field]: wrong }),
  ]);
}
