/**
 * Every message between the server and a sandbox host, and its parser. A message is taken only if it has exactly the
 * fields of its kind, each of the right type and within its bound; everything else is a breach of the border.
 * Loaded by the host too, so it imports nothing but the contract between them.
 */
import { base64Length, type GuestCaps, type RealmSources } from "./isolate-contract.ts";

/** How the host keeps isolates; sizes in MiB, times in milliseconds. */
export interface PoolSettings {
  readonly keptIsolates: number;
  readonly keptIsolatesMb: number;
  /** Memory of the spare isolates that stand ready: the default memory of a script. */
  readonly spareMemoryMb: number;
  /** Calls after which an isolate is replaced. */
  readonly callsPerIsolate: number;
  readonly idleMs: number;
  /** Quiet time after which spares are made. */
  readonly quietMs: number;
}

/** A script as the host knows it, under its key. */
export interface HostScript {
  readonly key: string;
  readonly source: string;
  readonly file: string;
  readonly entry: string;
}

/** Which isolate a call gets: one kept for its script, or one of its own. */
export type Isolation = "tool" | "call";

/** Server to host. The server is trusted by the host: these are not checked again. */
export type ToHost =
  | { readonly kind: "init"; readonly sources: RealmSources; readonly caps: GuestCaps; readonly pool: PoolSettings }
  | ({ readonly kind: "script" } & HostScript)
  | { readonly kind: "forget"; readonly key: string }
  | {
      readonly kind: "call";
      readonly callId: string;
      readonly key: string;
      readonly isolation: Isolation;
      readonly memoryMb: number;
      readonly facts: string;
      readonly timeoutMs: number;
    }
  | { readonly kind: "answer"; readonly callId: string; readonly sequence: number; readonly ok: boolean; readonly payload: string }
  | { readonly kind: "stop"; readonly callId: string }
  /** The call waits for a person: its clock stands still until it is resumed. */
  | { readonly kind: "pause" | "resume"; readonly callId: string }
  | { readonly kind: "ping"; readonly count: number };

/**
 * How the isolate of a call came free:
 * `idle` nothing of it is on a thread (kept or dropped, also when it was stopped while waiting) · `busy` it was stopped
 * while it computed · `timeout` the library's own limit ended it · `memory` it was over its memory · `error` the isolate
 * or the border in it failed.
 */
export type IsolateEnd = (typeof ISOLATE_ENDS)[number];

const ISOLATE_ENDS = ["idle", "busy", "timeout", "memory", "error"] as const;

/** Host to server. Never trusted. */
export type FromHost = { [Kind in keyof typeof SHAPES]: { readonly kind: Kind } & Fields<(typeof SHAPES)[Kind]> }[keyof typeof SHAPES];

/** A line that breaks the protocol; `reason` holds names of fields only, never their values. */
export interface Breach {
  readonly kind: "breach";
  readonly reason: string;
}

/** Largest texts in messages from a host, in UTF-16 units of JSON text. */
export interface BorderCaps {
  readonly outcomeCharacters: number;
  readonly paramsCharacters: number;
  readonly noticeCharacters: number;
}

/** Signal by which a host ends itself when V8 ran out of memory beyond recovery. Windows knows no others to choose from. */
export const OUT_OF_MEMORY_SIGNAL = process.platform === "win32" ? "SIGKILL" : "SIGALRM";

/** A call may send this many notices; more are dropped by the host, and a host that sends more breaks the border. */
export const NOTICES_PER_CALL = 10_000;

/** Caps from what the guest may send: JSON text takes at most 6 characters for one byte of UTF-8. */
export function borderCaps(caps: GuestCaps): BorderCaps {
  const overhead = 65_536;
  return {
    // The room for base64 counts twice like the rest: a script may fill it with text, where every quote is escaped.
    outcomeCharacters: 2 * (caps.resultBytes + base64Length(caps.mediaBytes)) + 6 * caps.messageCharacters + overhead,
    paramsCharacters: 6 * caps.requestBodyBytes + overhead,
    // The log, and as much again and more of progress messages.
    noticeCharacters: 6 * caps.logBytes + 16 * overhead,
  };
}

/** Longest line a host can have reason to send: its texts are JSON inside JSON, where a quote or backslash takes two. */
export function longestLine(caps: BorderCaps): number {
  return 2 * Math.max(caps.outcomeCharacters, caps.paramsCharacters, caps.noticeCharacters) + 4_096;
}

/** One line from a host as a message, or what is wrong with it. */
export function parseFromHost(line: string, caps: BorderCaps): FromHost | Breach {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The parser's message quotes the text, which may be a script's data; the reason is complete without it.
    return breach("a line is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return breach("a message is not an object");
  const { kind, ...fields } = value as Record<string, unknown>; // an object from JSON.parse that is no array is a record
  if (typeof kind !== "string" || !isKind(kind)) return breach("a message has an unknown kind");
  const wrong = firstWrongField(fields, SHAPES[kind]);
  if (wrong !== undefined) return breach(`a "${kind}" message has a wrong or unknown field ${wrong}`);
  const message = { ...fields, kind } as FromHost; // firstWrongField checked exactly the fields of this kind
  const tooLong = firstLongText(message, caps);
  return tooLong === undefined ? message : breach(`a "${kind}" message has a text over its bound in ${tooLong}`);
}

type Check<T> = (value: unknown) => value is T;
type Shape = Readonly<Record<string, Check<unknown>>>;
type Fields<S extends Shape> = { readonly [Name in keyof S]: S[Name] extends Check<infer T> ? T : never };

const MAX_ID_CHARACTERS = 128;
const MAX_FATAL_CHARACTERS = 4_096;

const isText: Check<string> = (value) => typeof value === "string";
const isId: Check<string> = (value): value is string => typeof value === "string" && value !== "" && value.length <= MAX_ID_CHARACTERS;
const isMethod: Check<string> = (value): value is string => typeof value === "string" && /^[A-Za-z]{1,32}\.[A-Za-z]{1,32}$/.test(value);
const isReason: Check<string> = (value): value is string => typeof value === "string" && value.length <= MAX_FATAL_CHARACTERS;
const isCount: Check<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isAmount: Check<number> = (value): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;
const isEnd: Check<IsolateEnd> = (value): value is IsolateEnd => ISOLATE_ENDS.some((end) => end === value);

/** The checks that {@link SHAPES} is made of, by what they accept. */
export const FIELD_CHECKS = {
  text: isText,
  id: isId,
  method: isMethod,
  reason: isReason,
  count: isCount,
  amount: isAmount,
  end: isEnd,
} as const;

/** The protocol from a host: each kind of message with exactly its fields. */
export const SHAPES = {
  ready: {},
  fatal: { message: isReason },
  preparing: { callId: isId },
  started: { callId: isId },
  hostCall: { callId: isId, sequence: isCount, method: isMethod, params: isText },
  notice: { callId: isId, name: isMethod, params: isText },
  done: { callId: isId, outcome: isText, cpuMs: isAmount },
  free: { callId: isId, end: isEnd, cpuMs: isAmount },
  pong: { count: isCount, rssMb: isAmount, cpuMs: isAmount },
} as const satisfies Record<string, Shape>;

function isKind(kind: string): kind is keyof typeof SHAPES {
  return Object.hasOwn(SHAPES, kind);
}

function firstWrongField(fields: Readonly<Record<string, unknown>>, shape: Shape): string | undefined {
  for (const [name, check] of Object.entries(shape)) {
    if (!Object.hasOwn(fields, name) || !check(fields[name])) return `"${name}"`;
  }
  // Unknown names are the host's text: they are counted, not quoted.
  return Object.keys(fields).length === Object.keys(shape).length ? undefined : "beyond its kind";
}

function firstLongText(message: FromHost, caps: BorderCaps): string | undefined {
  switch (message.kind) {
    case "hostCall":
      return message.params.length > caps.paramsCharacters ? '"params"' : undefined;
    case "notice":
      return message.params.length > caps.noticeCharacters ? '"params"' : undefined;
    case "done":
      return message.outcome.length > caps.outcomeCharacters ? '"outcome"' : undefined;
    default:
      return undefined;
  }
}

function breach(reason: string): Breach {
  return { kind: "breach", reason };
}
