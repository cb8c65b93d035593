/**
 * Valid messages of a host, made from the protocol's own definition: the fields of a kind are those of SHAPES, and what a
 * field holds follows from its check. A check without a maker here is an error, so no later field goes untested.
 */
import { FIELD_CHECKS, SHAPES } from "../../src/sandbox/border.ts";
import type { Random } from "./random.ts";

/** A message as data, before it becomes a line. */
export type Message = Readonly<Record<string, unknown>>;

/** A kind of message from a host. */
export type Kind = keyof typeof SHAPES;

/** Every kind, in the order of the protocol. */
export const KINDS: readonly Kind[] = Object.keys(SHAPES).filter((kind): kind is Kind => Object.hasOwn(SHAPES, kind));

/** Values of one check: `valid` ones, and `near` ones, which are just outside of it. */
interface FieldMaker {
  readonly valid: (random: Random) => unknown;
  readonly near: (random: Random) => unknown;
}

const TEXTS = ["", "{}", '{"a":1}', "[1,2]", "null", '"x"', "ä😀", "\u0000\u007f", "\u2028", '{"__proto__":{"polluted":1}}'];

const MAKERS: Readonly<Record<keyof typeof FIELD_CHECKS, FieldMaker>> = {
  text: { valid: (random) => random.pick(TEXTS), near: (random) => random.pick([null, 0, ["x"], { length: 1 }, true]) },
  id: {
    valid: (random) => random.pick(["c", "c".repeat(128), "__proto__", "constructor", "ä😀", " c ", "\ud800"]),
    near: (random) => random.pick(["", "c".repeat(129), 7, null, ["c1"], { toString: "c1" }]),
  },
  method: {
    valid: (random) => random.pick(["http.makeHttpRequest", "a.b", `${"a".repeat(32)}.${"b".repeat(32)}`, "Object.constructor"]),
    near: (random) =>
      random.pick(["", "a", "a.", ".b", "a.b.c", "a.b\n", "a.__proto__", "a1.b", `${"a".repeat(33)}.b`, " a.b", "ä.b", null, ["a.b"]]),
  },
  reason: {
    valid: (random) => random.pick(["no library", "", "x".repeat(4_096), "a\nb"]),
    near: (random) => random.pick(["x".repeat(4_097), null, 0, ["x"]]),
  },
  count: {
    valid: (random) => random.pick([0, 1, 2, 7, 2 ** 31, 2 ** 53 - 1, -0]),
    near: (random) => random.pick([-1, 0.5, 2 ** 53, 1e300, "0", null, [0], true]),
  },
  amount: {
    valid: (random) => random.pick([0, 0.25, 1, 1e300, Number.MIN_VALUE, -0]),
    near: (random) => random.pick([-1, -Number.MIN_VALUE, "1", null, [1], {}]),
  },
  end: {
    valid: (random) => random.pick(["idle", "busy", "timeout", "memory", "error"]),
    near: (random) => random.pick(["", "Idle", "idle ", "kept", "constructor", "__proto__", 0, null, ["idle"]]),
  },
};

/** A message of the kind with these fields, and the others filled in. */
export function makeMessage(random: Random, kind: Kind, fixed: Message = {}): Message {
  const fields: Record<string, unknown> = { kind };
  for (const [name, check] of Object.entries(SHAPES[kind])) {
    fields[name] = Object.hasOwn(fixed, name) ? fixed[name] : (content(random, name) ?? makerOf(check).valid(random));
  }
  return fields;
}

/** A value just outside of what the field may hold; undefined for `kind` and what is no field. */
export function nearValue(random: Random, kind: Kind, name: string): unknown {
  const check = Object.entries(SHAPES[kind]).find(([field]) => field === name)?.[1];
  return check === undefined ? undefined : makerOf(check).near(random);
}

function makerOf(check: unknown): FieldMaker {
  for (const [name, maker] of Object.entries(MAKERS)) if (Reflect.get(FIELD_CHECKS, name) === check) return maker;
  throw new Error("A check of SHAPES has no maker of values: add one to MAKERS.");
}

/** What the texts in a message hold in their turn. */
function content(random: Random, name: string): string | undefined {
  if (name === "outcome") return random.pick(OUTCOMES);
  return name === "params" ? random.pick(PARAMS) : undefined;
}

/** Texts that have the type of the field and are none a guest writes into it; undefined where any text will do. */
export function strangeContent(random: Random, name: string): string | undefined {
  if (name === "outcome") return random.pick(STRANGE_OUTCOMES);
  return name === "params" ? random.pick(STRANGE_PARAMS) : undefined;
}

/** An array in arrays, so many levels deep. */
export function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

const PARAMS = ["{}", '{"url":"http://loopback/"}', "[]", "null", "0", '"ä\\ud800"', '{"__proto__":{"a":1}}', nested(1_000), " 1 "];

const STRANGE_PARAMS = ["", "{", "[1", "undefined", "NaN", nested(1_001), nested(100_000), "{'a':1}", "1 2"];

const text = (value: unknown): string => JSON.stringify(value);

/** Ends that a guest may write. */
const OUTCOMES: readonly string[] = [
  text({ kind: "value", json: "1" }),
  text({ kind: "value", json: '{"a":["ä"]}' }),
  text({ kind: "value", json: '{"__proto__":1}' }),
  text({ kind: "value", json: text("x".repeat(4_094)) }),
  text({ kind: "value", json: text("x".repeat(4_095)) }),
  text({ kind: "value", json: nested(1_000) }),
  text({ kind: "content", json: text({ blocks: [{ type: "text", text: "a" }] }) }),
  text({ kind: "content", json: text({ blocks: [], value: null }) }),
  text({ kind: "failed", message: "no luck" }),
  text({ kind: "failed", message: "no luck", json: text({ blocks: [1] }) }),
  text({ kind: "error", name: "TypeError", message: "x is undefined", file: "scripts/probe.js", line: 1, column: 2 }),
  text({ kind: "error", name: "", message: "thrown", file: "/etc/passwd", line: 1e21, column: 0, frames: [1, 2, 3, 4] }),
  text({ kind: "error", name: "Error", message: "m".repeat(300), code: "TOO_MANY_REQUESTS" }),
  text({ kind: "error", name: "Error", message: "forged", code: "TIMEOUT" }),
];

/** Ends that no guest writes. */
const STRANGE_OUTCOMES: readonly string[] = [
  "",
  "{",
  "null",
  "[]",
  text({ kind: "value" }),
  text({ kind: "value", json: 1 }),
  text({ kind: "value", json: "{" }),
  text({ kind: "value", json: nested(1_001) }),
  text({ kind: "value", json: "1", message: "more" }),
  text({ kind: "value", json: "1", extra: 1 }),
  '{"kind":"value","json":"1","__proto__":{}}',
  text({ kind: "content", json: "[]" }),
  text({ kind: "content", json: text({ blocks: {} }) }),
  text({ kind: "failed" }),
  text({ kind: "failed", message: "x", json: "{" }),
  text({ kind: "failed", message: "x", blocks: [] }),
  text({ kind: "error", name: "Error" }),
  text({ kind: "error", message: "x" }),
  text({ kind: "error", name: "Error", message: "x", stack: "at /home" }),
  text({ kind: "constructor" }),
  text({ kind: "done", json: "1" }),
];
