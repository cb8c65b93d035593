/**
 * What the guest side of a capability is given. A guest is JavaScript text (`src/capabilities/<name>/guest.js`): one
 * expression for a `GuestPart`, evaluated once per isolate in strict mode before any script, and called once per call.
 *
 * Rules for guests, because isolates serve many calls and scripts are hostile:
 * - Nothing is kept outside of the function of the bridge: what it makes belongs to one call. The walk that proves a
 *   realm closed cannot see into closures.
 * - What a script can reach is made per call and frozen, its functions are arrows or methods; a class outside of the
 *   function of the bridge would be shared, and its prototype a channel. (The classes of the web's names are made per
 *   call too, and not frozen: the web's are not.)
 * - Of the language only syntax and `bridge.tools` are used: no array methods, regular expressions, for-of, spread or
 *   destructuring of arrays, no properties of `Object` or `JSON`. Records have a null prototype.
 * - What a script gives may be a Proxy or have getters: it is read where an exception reaches only the script.
 */
import type { CallFacts } from "../../core/capability.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { GuestCaps } from "../isolate-contract.ts";

/** What a guest text is. */
export type GuestPart = (bridge: Bridge) => {
  /** `g.<name>`; absent: no member. */
  readonly member?: unknown;
  /** Names such as `fetch`, given to the script as parameters and on its own global object. Always the same names. */
  readonly globals?: Readonly<Record<string, unknown>>;
};

/** The bridge of one call. After the call's end every function throws, but for `facts` and `tools`. */
export interface Bridge {
  /** Deep frozen. */
  readonly facts: CallFacts;
  readonly caps: GuestCaps;
  readonly tools: GuestTools;
  /** Throws if the call has ended. */
  requireLive(): void;
  /** Milliseconds until the time limit, at least 0. */
  remainingMs(): number;
  /** The time limit stood still for so many milliseconds. */
  extendLimit(ms: number): void;
  /**
   * Calls a host method such as "http.makeHttpRequest". `prepare` makes the parameters (a record with a null
   * prototype, of JSON data); `convert` makes of the answer what the script gets. What either throws rejects the promise,
   * and so does an error of the host, with its `code`. `isGivenUp`: true once the script has said that it wants no answer;
   * others that are under way when the call ends are told in its log.
   */
  hostCall(method: string, prepare: () => JsonObject, convert: (answer: JsonValue) => unknown, isGivenUp?: () => boolean): Promise<unknown>;
  /** As `hostCall`, of the web's function `name`; an error of the host is a TypeError, as the web's functions fail. */
  webCall(
    name: string,
    method: string,
    prepare: () => JsonObject,
    convert: (answer: JsonValue) => unknown,
    isGivenUp?: () => boolean,
  ): Promise<unknown>;
  /** Tells the host something, such as "http.abort", and waits for nothing. */
  notice(name: string, params: JsonObject): void;
  /** What the web's names are asked and make; see `webServices` in guest/web-services.js. */
  web(service: "content" | "follow" | "headers" | "isHeaders" | "request" | "response", value: unknown): unknown;
  /**
   * A line of the log, of values as a script gave them: `%s` and its like in a first text as in Node. Cut at the limit, with
   * one line saying so. `isPlaced`: told with the place in the script it comes from.
   */
  log(level: "debug" | "info" | "warn" | "error", values: readonly unknown[], indent?: string, isPlaced?: boolean): void;
  /** {done, total?, message?}; messages that come too fast are left out. */
  progress(params: JsonObject): void;
  /** An Error, or one that `Make` makes, whose `code` also counts if the script lets it end the call. */
  error(code: string, message: string, Make?: ErrorConstructor): Error;
  /** The same as a TypeError. */
  webError(code: string, message: string): TypeError;
  /**
   * A mark that, returned or thrown by the script, ends the call as failed with this message, and with these content blocks.
   * It and `content` also end a call that returns nothing; where another value is returned the log tells that it had no effect.
   */
  failure(message: unknown, blocks?: readonly unknown[]): object;
  /** A mark that, returned by the script, ends the call with these content blocks and this value (undefined: without one). */
  content(blocks: readonly unknown[], value: unknown): object;
  /** Freezes a content block and marks it: returned by itself it ends the call with this one block. */
  block(record: object): object;
  /** Calls back after milliseconds; at most 1,000 wait at once and 10,000 are made in one call. Gives the timer's number. */
  setTimeout(callback: (...values: unknown[]) => void, delayMs: number, ...values: unknown[]): number;
  clearTimeout(timerId: number): void;
}

/** The border's own copies of the language, and its tools for text and bytes. Methods take their object first. */
export interface GuestTools {
  /** A new array of the same members. */
  arrayCopy<T>(list: readonly T[]): T[];
  /** Well-formed base64 only. */
  base64Decode(text: string): Uint8Array;
  base64Encode(bytes: Uint8Array): string;
  /** A view of a typed array, DataView or ArrayBuffer; undefined for anything else. */
  bytesOf(value: unknown): Uint8Array | undefined;
  ceil(value: number): number;
  /** At most so many UTF-16 units, well formed, with an ellipsis where it was cut. */
  cutText(text: string, maxCharacters: number): string;
  /** Defines an own, writable property whatever the prototypes hold. */
  define(target: object, name: PropertyKey, value: unknown, enumerable: boolean): void;
  /** Defines an enumerable property that is read when asked for. */
  defineGetter(target: object, name: PropertyKey, read: () => unknown): void;
  encodeComponent(text: string): string;
  freeze<T>(value: T): Readonly<T>;
  hasOwn(value: object, name: PropertyKey): boolean;
  isArray(value: unknown): value is readonly unknown[];
  isFiniteNumber(value: unknown): boolean;
  /** True if the text takes more bytes than that as UTF-8. */
  isOver(text: string, maxBytes: number): boolean;
  jsonParse(text: string): JsonValue;
  jsonStringify(value: unknown): string | undefined;
  /** Throws for everything that is not a Map. */
  mapForEach(map: unknown, visit: (value: unknown, key: unknown) => void): void;
  objectKeys(value: object): string[];
  /** An own property's value, or undefined. */
  ownValue(value: object, name: PropertyKey): unknown;
  readonly RawPromise: PromiseConstructor;
  readonly RawSyntaxError: SyntaxErrorConstructor;
  readonly RawTypeError: TypeErrorConstructor;
  stringIndexOf(text: string, part: string, from?: number): number;
  stringLowerCase(text: string): string;
  stringSlice(text: string, start: number, end?: number): string;
  stringUpperCase(text: string): string;
  toWellFormed(text: string): string;
  typedArrayByteLength(bytes: Uint8Array): number;
  /** Malformed bytes become U+FFFD. */
  utf8Decode(bytes: Uint8Array): string;
  utf8Encode(text: string): Uint8Array;
}
