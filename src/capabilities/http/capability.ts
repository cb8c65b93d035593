/**
 * `g.http` and `fetch`: requests of a script. Here the shape of a request is checked; where it may go, what is added to it
 * and what of the answer a script may see is decided behind `context.request`. Without that there are no requests.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Capability, CapabilityContext, HostMethod, HostNotice, ScriptRequest, ScriptResponse } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";

/** Makes the capability; reads its guest texts from disk. */
export function createHttpCapability(): Capability {
  const aborts = new RequestAborts();
  return {
    name: "http",
    methods: new Map([["makeHttpRequest", requestMethod(aborts)]]),
    notices: new Map([["abort", abortNotice(aborts)]]),
    guest: readGuest(),
    types: TYPES,
  };
}

/** The guest's parts as one expression for the function that the last of them holds. */
function readGuest(): string {
  const parts = ["guest-request.js", "guest-answer.js", "guest.js"];
  const texts = parts.map((part) => readFileSync(new URL(`./${part}`, import.meta.url), "utf8"));
  return `(() => {\n${texts.join("\n")}\nreturn openHttp;\n})()`;
}

/** Longest URL of a script, in UTF-16 units: more than any server takes. */
const MAX_URL_CHARACTERS = 16_384;

interface RequestParams {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Record<string, string> | undefined;
  readonly body?: { readonly kind: "text"; readonly text: string } | { readonly kind: "bytes"; readonly base64: string } | undefined;
  readonly timeoutMs?: number | undefined;
  readonly redirect?: ScriptRequest["redirect"] | undefined;
  /** Number of a request that the script may abort, unlike those of its call's other requests. */
  readonly abort?: number | undefined;
}

interface AbortParams {
  readonly abort: number;
}

/** Requests under way that their script may abort, by call and number. */
class RequestAborts {
  readonly #controllers = new Map<string, AbortController>();

  /** Runs the request with a signal of its own; a number that is in use already gets none. */
  async run<T>(context: CapabilityContext, abort: number | undefined, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const key = `${context.callId} ${abort}`;
    if (abort === undefined || this.#controllers.has(key)) return await send(context.signal);
    const controller = new AbortController();
    this.#controllers.set(key, controller);
    try {
      return await send(AbortSignal.any([context.signal, controller.signal]));
    } finally {
      this.#controllers.delete(key);
    }
  }

  /** Ends the request if it is under way. */
  abort(context: CapabilityContext, abort: number): void {
    this.#controllers.get(`${context.callId} ${abort}`)?.abort();
  }
}

function abortNotice(aborts: RequestAborts): HostNotice<AbortParams> {
  return {
    params: z.strictObject({ abort: z.int().positive() }),
    accept: (context, { abort }) => aborts.abort(context, abort),
  };
}

function requestMethod(aborts: RequestAborts): HostMethod<RequestParams> {
  return {
    params: z.strictObject({
      url: z.string().max(MAX_URL_CHARACTERS),
      method: z.string().max(32).optional(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z
        .discriminatedUnion("kind", [
          z.strictObject({ kind: z.literal("text"), text: z.string() }),
          z.strictObject({ kind: z.literal("bytes"), base64: z.base64() }),
        ])
        .optional(),
      timeoutMs: z.number().positive().optional(),
      redirect: z.enum(["follow", "manual", "error"]).optional(),
      abort: z.int().positive().optional(),
    }),
    run: (context, params) => sendRequest(context, params, aborts),
  };
}

async function sendRequest(context: CapabilityContext, params: RequestParams, aborts: RequestAborts): Promise<JsonValue> {
  const { request: send } = context;
  if (send === undefined) {
    throw new ToolError("UNAVAILABLE", "Requests are not available here: this server runs scripts without network.");
  }
  const { url, method, headers = {}, body, timeoutMs, redirect = "follow" } = params;
  const request: ScriptRequest = {
    url,
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers,
    body: body ?? { kind: "none" },
    ...(timeoutMs !== undefined && { timeoutMs }),
    redirect,
  };
  return answerOf(await aborts.run(context, params.abort, (signal) => send(request, signal)));
}

/** The answer as the guest side reads it. */
function answerOf({ status, statusText, headers, setCookie, body, url, redirected }: ScriptResponse): JsonValue {
  const content = body.kind === "text" ? { bodyText: body.text } : { bodyBase64: body.base64 };
  return { status, statusText, headers, setCookie, ...content, url, redirected };
}

const TYPES = `interface GHttpOptions {
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
`;
