// What a script has. Made by npm run docs from src/capabilities and src/sandbox/web-types.ts.
type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

interface GTool<A = any> {
  /** Checked arguments, deeply frozen; an optional argument that was not given is undefined. */
  readonly args: A;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
}
interface G { readonly tool: GTool; }

interface GHttpOptions {
  url?: string;
  /** Default GET, or POST when a body is given. Any case. */
  method?: string;
  /** A header of the same name from tools.json wins. Secret templates are not filled in here. */
  headers?: Record<string, string | number | boolean> | Headers;
  /** A plain object or array is sent as JSON. */
  body?: string | Uint8Array | URLSearchParams | FormData | Blob | JsonValue;
  /** Aborts the request; it rejects with the reason. */
  signal?: AbortSignal;
  /** Appended to the URL. */
  query?: Record<string, string | number | boolean | null | Array<string | number | boolean>>;
  /** Body as application/x-www-form-urlencoded; excludes body. */
  form?: Record<string, string | number | boolean>;
  /** Seconds; cut to what is left of the call. */
  timeout?: number;
  /** Default "text". "bytes" gives bodyBase64. */
  responseType?: "text" | "json" | "bytes";
  /** Default "follow". Secrets are not sent again once the origin has changed. */
  redirect?: "follow" | "manual" | "error";
}
interface GHttpResponse {
  readonly ok: boolean;
  readonly status: number;
  /** Same number as status. */
  readonly statusCode: number;
  readonly statusText: string;
  /** Lower-case names; repeated values joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookie: readonly string[];
  /** Body as text, "" when responseType is "bytes". Values of secrets that the server sends back are masked. */
  readonly body: string;
  /** Parsed value when responseType is "json"; where the body is none, the request rejects with RESPONSE_NOT_JSON. */
  readonly data?: JsonValue;
  readonly bodyBase64?: string;
  /** Final URL. */
  readonly url: string;
  readonly redirected: boolean;
  /** Throws RESPONSE_NOT_JSON; that error has the status and the beginning of the body, as "status" and "body". */
  json(): any;
  text(): string;
}
interface GHttp {
  /** A 4xx or 5xx answer resolves; policy, network, size and time failures reject with an error that has a code. */
  makeHttpRequest(options: GHttpOptions & { url: string }): Promise<GHttpResponse>;
  makeHttpRequest(url: string, options?: GHttpOptions): Promise<GHttpResponse>;
}
interface G { readonly http: GHttp; }
interface GFetchOptions {
  /** Default GET, or POST when a body is given; GET and HEAD take no body. In any case, but "PATCH" only so: "patch" is sent as it is. */
  method?: string;
  headers?: Headers | Record<string, string> | Iterable<[string, string]>;
  /** A plain object or array is sent as JSON. */
  body?: string | Uint8Array | ArrayBuffer | URLSearchParams | FormData | Blob | JsonValue;
  signal?: AbortSignal;
  redirect?: "follow" | "manual" | "error";
}
/** The same guarded way as g.http. The answer is read in full before the promise resolves; failures are TypeErrors with a code. */
declare function fetch(input: string | URL | Request, options?: GFetchOptions): Promise<Response>;

interface GLog {
  debug(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}
/** As in Node, also with "%s" and its like in a first text; colours and boxes are left out. */
interface GConsole extends GLog {
  log(...values: unknown[]): void;
  dir(value: unknown): void;
  /** One line for the columns and one for each row, at most 100. */
  table(data: unknown, columns?: string[]): void;
  /** At level debug, with the place it is called at. */
  trace(...values: unknown[]): void;
  assert(condition: unknown, ...values: unknown[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  group(...values: unknown[]): void;
  groupCollapsed(...values: unknown[]): void;
  groupEnd(): void;
  time(label?: string): void;
  timeLog(label?: string, ...values: unknown[]): void;
  timeEnd(label?: string): void;
}
interface G { readonly log: GLog; }
declare const console: GConsole;

interface G {
  /** Settings of this tool for this agent, deeply frozen. */
  readonly config: Readonly<Record<string, JsonValue>>;
}

interface G {
  readonly agent: { readonly id: string; readonly instanceId: string };
}

interface GRun {
  readonly id: string;
  /** "mcp" for a client's call, "cli" for toolyard run, "job" for a job. */
  readonly origin: "mcp" | "cli" | "job";
  readonly startedAt: string;
  /** Milliseconds until the time limit. */
  remainingMs(): number;
  /** Sent to the client as MCP progress when it asked for it. */
  progress(done: number, total?: number, message?: string): void;
  sleep(ms: number): Promise<void>;
}
interface G { readonly run: GRun; }

/** Hints for clients: whom a block is for, and how much it matters (0 to 1). */
interface GAnnotations { audience?: Array<"user" | "assistant">; priority?: number; }
/** Bytes, or base64 text. */
type GBytes = Uint8Array | ArrayBuffer | string;
/** What a result shows beside its value. The type of bytes is checked against them. */
type GContentBlock =
  | { type: "text"; text: string; annotations?: GAnnotations }
  | { type: "image" | "audio"; data: GBytes; mimeType: string; annotations?: GAnnotations }
  | { type: "resource_link"; uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number; annotations?: GAnnotations }
  | { type: "resource"; resource: { uri: string; mimeType?: string; text: string } | { uri: string; mimeType?: string; blob: GBytes }; annotations?: GAnnotations };
interface GResult {
  /** Same as returning the value. */
  ok(content: JsonValue): unknown;
  /** Ends the call as failed with this message, and with these blocks after it: return it. Not an error that was thrown: no position, no stack. */
  fail(message: string, blocks?: GContentBlock[]): unknown;
  /** Ends the call with these blocks, and with this value beside them: return it. The value's JSON comes first where no block is text. */
  content(blocks: GContentBlock[], value?: JsonValue): unknown;
  /** An image: return it, or put it into a list for content(). */
  image(bytes: GBytes, mimeType: string): GContentBlock;
  audio(bytes: GBytes, mimeType: string): GContentBlock;
  /** A file that comes with the result: text, or bytes. */
  resource(uri: string, content: string | Uint8Array | ArrayBuffer, mimeType?: string): GContentBlock;
  /** A place where the client may read more. */
  link(uri: string, name: string): GContentBlock;
}
interface G { readonly result: GResult; }

interface GSecrets {
  /** Always throws SECRET_ACCESS_DENIED. Put a template such as <<NAME>> into the tool's headers or query in tools.json instead. */
  getSecret(name: string): never;
}
interface G { readonly secrets: GSecrets; }

/** A field of a form. */
type GFormField = { title?: string; description?: string } & (
  | { type: "string"; minLength?: number; maxLength?: number; format?: "email" | "uri" | "date" | "date-time"; default?: string }
  | { type: "string"; enum: string[]; enumNames?: string[]; default?: string }
  | { type: "string"; oneOf: Array<{ const: string; title: string }>; default?: string }
  | { type: "number" | "integer"; minimum?: number; maximum?: number; default?: number }
  | { type: "boolean"; default?: boolean }
  | { type: "array"; items: { type: "string"; enum: string[] } | { anyOf: Array<{ const: string; title: string }> }; minItems?: number; maxItems?: number; default?: string[] });
interface GForm { type: "object"; properties: Record<string, GFormField>; required?: string[]; }
type GAnswer =
  | { action: "accept"; content: Record<string, string | number | boolean | string[]> }
  | { action: "decline" }
  | { action: "cancel" };
interface GAsk {
  /**
   * Asks a person through the client; without a form they can only accept or decline. The time limit stands still
   * meanwhile: at most 5 minutes, and 3 questions in one call. Rejects with code UNAVAILABLE where the client cannot ask.
   * Never ask for passwords or keys: store them with toolyard secrets set.
   */
  elicit(message: string, form?: GForm, options?: { key?: string }): Promise<GAnswer>;
}
interface G { readonly ask: GAsk; }

declare class URL {
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
/** Read once, in full; `body` is always null, because there are no streams. */
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
declare function clearInterval(id?: number): void;
declare const g: G;
