/** One change to a valid message, or to its line: what comes out may still be valid, which the oracle has to tell. */
import { FUZZ_BOUNDS } from "./caps.ts";
import { KINDS, type Kind, type Message, nearValue, nested, strangeContent } from "./grammar.ts";
import type { Random } from "./random.ts";

/** What a mutation may draw on. */
export interface Surroundings {
  /** Calls the host may speak of, and calls it may not speak of any more. */
  readonly open: readonly string[];
  readonly finished: readonly string[];
  /** Lines of this conversation that went before. */
  readonly history: readonly Buffer[];
}

/** The bytes of one line or more, without the last end of line, and what was done to them. */
export interface Mutant {
  readonly name: string;
  readonly bytes: Buffer;
}

interface Subject {
  readonly random: Random;
  readonly kind: Kind;
  readonly message: Message;
  readonly around: Surroundings;
}

/** Gives the changed line, or undefined where it has nothing to change in this message. */
type Mutation = (subject: Subject) => Buffer | undefined;

/** One change by chance. */
export function mutate(random: Random, message: Message, around: Surroundings): Mutant {
  const kind = KINDS.find((one) => one === message.kind);
  if (kind === undefined) throw new Error("Only messages of the protocol are mutated.");
  while (true) {
    const [name, mutation] = random.pick(MUTATIONS);
    const bytes = mutation({ random, kind, message, around });
    if (bytes !== undefined) return { name, bytes };
  }
}

/** A message as its line. */
export function lineOf(message: Message): Buffer {
  return Buffer.from(JSON.stringify(message));
}

function fieldsOf({ message }: Subject): readonly string[] {
  return Object.keys(message).filter((name) => name !== "kind");
}

function withField(subject: Subject, name: string, value: unknown): Buffer {
  return lineOf({ ...subject.message, [name]: value });
}

/** A member written as text, which `JSON.stringify` would not give. */
function withText({ message }: Subject, name: string, written: string): Buffer {
  const mark = "\u0001mark\u0001";
  return Buffer.from(JSON.stringify({ ...message, [name]: mark }).replace(JSON.stringify(mark), () => written));
}

function withMember({ message }: Subject, member: string, isFirst: boolean): Buffer {
  const text = JSON.stringify(message);
  return Buffer.from(isFirst ? `{${member},${text.slice(1)}` : `${text.slice(0, -1)},${member}}`);
}

function withCallId(subject: Subject, ids: readonly string[]): Buffer | undefined {
  if (ids.length === 0 || !Object.hasOwn(subject.message, "callId")) return undefined;
  return withField(subject, "callId", subject.random.pick(ids));
}

const STRANGE_NAMES = ["extra", "__proto__", "constructor", "toString", "hasOwnProperty", "", "Kind", "callid", "cpuMS", "end ", "0"];
const STRANGE_VALUES = ["1", "null", '"c"', "{}", "[]", '{"callId":"c2"}', '{"kind":"ready"}'];
const STRANGE_KINDS = [
  "toString",
  "constructor",
  "__proto__",
  "init",
  "call",
  "answer",
  "Ready",
  "",
  "done ",
  1,
  null,
  ["ready"],
  { done: 1 },
];
const STRANGE_NUMBERS = [
  "NaN",
  "1e400",
  "1e400",
  "1e400",
  "-1e400",
  "Infinity",
  "-0",
  "1e0",
  "01",
  "0x1",
  "9007199254740993",
  "1e-400",
  "-1",
  "0.1",
  '"1"',
  "1_0",
];

const MUTATIONS: readonly (readonly [string, Mutation])[] = [
  ["a field dropped", (subject) => withoutField(subject)],
  ["a field dropped, kind too", (subject) => lineOf(entriesWithout(subject, subject.random.pick(Object.keys(subject.message))))],
  ["a field added", (subject) => withMember(subject, strangeMember(subject.random), subject.random.chance(0.3))],
  ["a field renamed", (subject) => renamed(subject)],
  ["a field twice, the same", (subject) => doubled(subject, (name) => subject.message[name])],
  ["a field twice, another value first", (subject) => doubled(subject, (name) => nearValue(subject.random, subject.kind, name), true)],
  ["a field twice, another value last", (subject) => doubled(subject, (name) => nearValue(subject.random, subject.kind, name))],
  ["a value just outside of its field", (subject) => changed(subject, (name) => nearValue(subject.random, subject.kind, name))],
  ["a value just outside of its field", (subject) => changed(subject, (name) => nearValue(subject.random, subject.kind, name))],
  ["content that no guest writes", (subject) => strange(subject)],
  ["a number written strangely", (subject) => strangeNumber(subject)],
  ["a number written strangely", (subject) => strangeNumber(subject)],
  ["a number written strangely", (subject) => strangeNumber(subject)],
  ["another kind", (subject) => withField(subject, "kind", subject.random.pick(KINDS))],
  ["a kind that is none", (subject) => withField(subject, "kind", subject.random.pick(STRANGE_KINDS))],
  ["the id of another call", (subject) => withCallId(subject, subject.around.open)],
  ["the id of a finished call", (subject) => withCallId(subject, subject.around.finished)],
  ["the id of a finished call", (subject) => withCallId(subject, subject.around.finished)],
  ["the id of a finished call", (subject) => withCallId(subject, subject.around.finished)],
  ["an id that is none", (subject) => withCallId(subject, ["nobody", "__proto__", "constructor", "c".repeat(128), "\ud800", "\u0000"])],
  ["a lone surrogate", (subject) => suffixed(subject, "\ud800")],
  ["a character of no width", (subject) => suffixed(subject, "\u200b")],
  ["a text over its bound", (subject) => tooLong(subject)],
  ["a deep value", (subject) => changedText(subject, nested(subject.random.pick([2, 500, 5_000])))],
  ["an object of names of the prototype", (subject) => changedText(subject, '{"__proto__":{"callId":"c"},"toString":"x","length":1}')],
  ["a line cut short", (subject) => cut(subject)],
  ["two lines joined", (subject) => Buffer.concat([lineOf(subject.message), lineOf(subject.message)])],
  ["a byte that is no UTF-8", (subject) => withByte(subject, subject.random.pick([0x80, 0xc0, 0xed, 0xf5, 0xff]))],
  ["a byte more", (subject) => withByte(subject, subject.random.pick([0x00, 0x20, 0x22, 0x2c, 0x5c, 0x7b, 0x7d]))],
  ["a byte less", (subject) => withoutByte(subject)],
  ["an end of line inside", (subject) => withByte(subject, 0x0a)],
  ["a mark of byte order", (subject) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), lineOf(subject.message)])],
  ["white space around", (subject) => Buffer.from(` \t${JSON.stringify(subject.message)} \r`)],
  ["an array around", (subject) => Buffer.from(`[${JSON.stringify(subject.message)}]`)],
  ["a line again", ({ random, around }) => (around.history.length === 0 ? undefined : random.pick(around.history))],
];

function entriesWithout({ message }: Subject, name: string): Message {
  return Object.fromEntries(Object.entries(message).filter(([key]) => key !== name));
}

function withoutField(subject: Subject): Buffer | undefined {
  const names = fieldsOf(subject);
  return names.length === 0 ? undefined : lineOf(entriesWithout(subject, subject.random.pick(names)));
}

function strangeMember(random: Random): string {
  return `${JSON.stringify(random.pick(STRANGE_NAMES))}:${random.pick(STRANGE_VALUES)}`;
}

function renamed(subject: Subject): Buffer | undefined {
  const names = fieldsOf(subject);
  if (names.length === 0) return undefined;
  const name = subject.random.pick(names);
  const other = subject.random.pick([...STRANGE_NAMES, `${name} `, name.toUpperCase(), `${name}\u0000`]);
  const member = `${JSON.stringify(other)}:${JSON.stringify(subject.message[name])}`;
  return withMember({ ...subject, message: entriesWithout(subject, name) }, member, false);
}

function doubled(subject: Subject, makeValue: (name: string) => unknown, isFirst = false): Buffer | undefined {
  const names = fieldsOf(subject);
  if (names.length === 0) return undefined;
  const name = subject.random.pick(names);
  return withMember(subject, `${JSON.stringify(name)}:${JSON.stringify(makeValue(name))}`, isFirst);
}

function changed(subject: Subject, makeValue: (name: string) => unknown): Buffer | undefined {
  const names = fieldsOf(subject);
  if (names.length === 0) return undefined;
  const name = subject.random.pick(names);
  return withField(subject, name, makeValue(name));
}

function strange(subject: Subject): Buffer | undefined {
  const name = fieldsOf(subject).find((field) => field === "params" || field === "outcome");
  return name === undefined ? undefined : withField(subject, name, strangeContent(subject.random, name));
}

function strangeNumber(subject: Subject): Buffer | undefined {
  const names = fieldsOf(subject).filter((name) => typeof subject.message[name] === "number");
  return names.length === 0 ? undefined : withText(subject, subject.random.pick(names), subject.random.pick(STRANGE_NUMBERS));
}

function textFields(subject: Subject): readonly string[] {
  return fieldsOf(subject).filter((name) => typeof subject.message[name] === "string");
}

function suffixed(subject: Subject, suffix: string): Buffer | undefined {
  const names = textFields(subject);
  if (names.length === 0) return undefined;
  const name = subject.random.pick(names);
  return withField(subject, name, `${String(subject.message[name])}${suffix}`);
}

function changedText(subject: Subject, written: string): Buffer | undefined {
  const names = textFields(subject);
  return names.length === 0 ? undefined : withText(subject, subject.random.pick(names), written);
}

const BOUNDS: Readonly<Record<string, number>> = {
  "hostCall.params": FUZZ_BOUNDS.paramsCharacters,
  "done.outcome": FUZZ_BOUNDS.outcomeCharacters,
  "notice.params": FUZZ_BOUNDS.noticeCharacters,
};

/** Exactly at the bound or one over it; JSON all the same, so that nothing but its length is wrong. */
function tooLong(subject: Subject): Buffer | undefined {
  const name = fieldsOf(subject).find((field) => BOUNDS[`${subject.kind}.${field}`] !== undefined);
  const bound = name === undefined ? undefined : BOUNDS[`${subject.kind}.${name}`];
  // The bound of a notice is a megabyte: seldom.
  if (name === undefined || bound === undefined || (subject.kind === "notice" && subject.random.chance(0.9))) return undefined;
  const [before, after] = name === "outcome" ? ['{"kind":"failed","message":"', '"}'] : ['"', '"'];
  const length = bound + subject.random.pick([0, 1, 1, 1_000]);
  return withField(subject, name, `${before}${"x".repeat(length - before.length - after.length)}${after}`);
}

function cut(subject: Subject): Buffer {
  const line = lineOf(subject.message);
  return line.subarray(0, subject.random.int(0, line.length - 1));
}

function withByte(subject: Subject, byte: number): Buffer {
  const line = lineOf(subject.message);
  const at = subject.random.int(0, line.length);
  return Buffer.concat([line.subarray(0, at), Buffer.from([byte]), line.subarray(at)]);
}

function withoutByte(subject: Subject): Buffer {
  const line = lineOf(subject.message);
  const at = subject.random.int(0, line.length - 1);
  return Buffer.concat([line.subarray(0, at), line.subarray(at + 1)]);
}
