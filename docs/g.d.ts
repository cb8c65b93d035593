// What a script has. Made by npm run docs from src/capabilities.
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
  headers?: Record<string, string | number | boolean>;
  /** A plain object or array is sent as JSON. */
  body?: string | Uint8Array | JsonValue;
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
  /** Parsed value when responseType is "json". */
  readonly data?: JsonValue;
  readonly bodyBase64?: string;
  /** Final URL. */
  readonly url: string;
  readonly redirected: boolean;
  json(): any;
  text(): string;
}
interface GHttp {
  /** A 4xx or 5xx answer resolves; policy, network, size and time failures reject with an error that has a code. */
  makeHttpRequest(options: GHttpOptions & { url: string }): Promise<GHttpResponse>;
  makeHttpRequest(url: string, options?: GHttpOptions): Promise<GHttpResponse>;
}
interface G { readonly http: GHttp; }
interface GFetchResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: {
    get(name: string): string | null;
    has(name: string): boolean;
    entries(): Iterable<[string, string]>;
    forEach(visit: (value: string, name: string) => void): void;
  };
  text(): Promise<string>;
  json(): Promise<any>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
}
/** The same guarded way as g.http. */
declare function fetch(url: string, options?: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array; redirect?: "follow" | "manual" | "error" }): Promise<GFetchResponse>;

interface GLog {
  debug(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}
interface GConsole extends GLog { log(...values: unknown[]): void; }
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
  /** Always throws SECRET_ACCESS_DENIED. Put a template such as <<NAME>> into the tool's headers in tools.json instead. */
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

declare function setTimeout(fn: (...values: unknown[]) => void, ms?: number, ...values: unknown[]): number;
declare function clearTimeout(id?: number): void;
declare const g: G;
