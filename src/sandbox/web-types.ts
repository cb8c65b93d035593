/** Declarations of the web's names for g.d.ts; what is not declared here, a script does not have. */
export const WEB_TYPES = `declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static parse(url: string | URL, base?: string | URL): URL | null;
  static canParse(url: string | URL, base?: string | URL): boolean;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}
/** Lists of name and value. */
interface GPairs<Value> {
  keys(): IterableIterator<string>;
  values(): IterableIterator<Value>;
  entries(): IterableIterator<[string, Value]>;
  forEach(visit: (value: Value, name: string) => void): void;
  [Symbol.iterator](): IterableIterator<[string, Value]>;
}
declare class URLSearchParams {
  constructor(init?: string | Record<string, string> | Iterable<[string, string]> | URLSearchParams);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
}
interface URLSearchParams extends GPairs<string> {}
declare class TextEncoder {
  readonly encoding: "utf-8";
  encode(text?: string): Uint8Array;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  /** utf-8, utf-16le, utf-16be or windows-1252 (latin1), under any of their labels. */
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare function atob(base64: string): string;
declare function btoa(text: string): string;
/** Nothing can be transferred. */
declare function structuredClone<T>(value: T): T;
declare class DOMException extends Error {
  constructor(message?: string, name?: string);
  readonly code: number;
}
declare class Event {
  constructor(type: string, init?: { bubbles?: boolean; cancelable?: boolean; composed?: boolean });
  readonly type: string;
  readonly target: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly cancelable: boolean;
  readonly defaultPrevented: boolean;
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}
type GListener = ((event: Event) => void) | { handleEvent(event: Event): void };
declare class EventTarget {
  addEventListener(type: string, listener: GListener | null, options?: boolean | { once?: boolean; capture?: boolean; signal?: AbortSignal }): void;
  removeEventListener(type: string, listener: GListener | null, options?: boolean | { capture?: boolean }): void;
  dispatchEvent(event: Event): boolean;
}
declare class AbortSignal extends EventTarget {
  private constructor();
  static abort(reason?: unknown): AbortSignal;
  static timeout(milliseconds: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: Event) => void) | null;
  throwIfAborted(): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare class Blob {
  constructor(parts?: Iterable<string | ArrayBuffer | ArrayBufferView | Blob>, options?: { type?: string; endings?: "transparent" | "native" });
  readonly size: number;
  readonly type: string;
  slice(start?: number, end?: number, type?: string): Blob;
  text(): Promise<string>;
  bytes(): Promise<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
}
declare class File extends Blob {
  constructor(parts: Iterable<string | ArrayBuffer | ArrayBufferView | Blob>, name: string, options?: { type?: string; lastModified?: number });
  readonly name: string;
  readonly lastModified: number;
}
declare class FormData {
  append(name: string, value: string | Blob, fileName?: string): void;
  delete(name: string): void;
  get(name: string): string | File | null;
  getAll(name: string): (string | File)[];
  has(name: string): boolean;
  set(name: string, value: string | Blob, fileName?: string): void;
}
interface FormData extends GPairs<string | File> {}
declare class Headers {
  constructor(init?: Headers | Record<string, string> | Iterable<[string, string]>);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
}
interface Headers extends GPairs<string> {}
/** Read once, in full; \`body\` is always null, because there are no streams. */
interface GBody {
  readonly body: null;
  readonly bodyUsed: boolean;
  readonly headers: Headers;
  text(): Promise<string>;
  json(): Promise<any>;
  bytes(): Promise<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
}
type GBodyInit = string | ArrayBuffer | ArrayBufferView | URLSearchParams | FormData | Blob | null;
declare class Response {
  constructor(body?: GBodyInit, init?: { status?: number; statusText?: string; headers?: ConstructorParameters<typeof Headers>[0] });
  static json(data: unknown, init?: { status?: number; statusText?: string; headers?: ConstructorParameters<typeof Headers>[0] }): Response;
  static error(): Response;
  static redirect(url: string | URL, status?: number): Response;
  readonly type: "basic" | "default" | "error";
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly redirected: boolean;
  clone(): Response;
}
interface Response extends GBody {}
declare class Request {
  constructor(input: string | URL | Request, init?: { method?: string; headers?: ConstructorParameters<typeof Headers>[0]; body?: GBodyInit; signal?: AbortSignal | null; redirect?: "follow" | "manual" | "error" });
  readonly method: string;
  readonly url: string;
  readonly redirect: "follow" | "manual" | "error";
  readonly signal: AbortSignal;
  clone(): Request;
}
interface Request extends GBody {}
/** Randomness of the operating system, at most 4 MiB a call. */
declare const crypto: { randomUUID(): string; getRandomValues<T extends ArrayBufferView>(array: T): T };
/** In milliseconds, no finer. */
declare const performance: { now(): number; readonly timeOrigin: number };
declare function queueMicrotask(task: () => void): void;
declare function setTimeout(fn: (...values: any[]) => void, ms?: number, ...values: unknown[]): number;
declare function clearTimeout(id?: number): void;
declare function setInterval(fn: (...values: any[]) => void, ms?: number, ...values: unknown[]): number;
declare function clearInterval(id?: number): void;`;
