/**
 * What an HTTP request must pass before its body is read, in this order: form, Host, Origin, path and method, token,
 * rate, size. It looks at the head of a request and answers; nothing is kept but what the rate counts.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { OverRate, RequestRate } from "./http-rate.ts";

/** Path of the MCP endpoint. */
export const MCP_PATH = "/mcp";

/** What a token stands for. */
export interface TokenGrant {
  readonly agent: string;
  /**
   * False once the token counts no more; asked for sessions, which have no token to verify again. What it throws ends
   * them. Default: always true.
   */
  isValid?(): boolean;
}

/** Who may use the server. */
export type HttpAuth =
  | {
      readonly kind: "token";
      /** The agent a token stands for, undefined for none. What it throws lets nobody in (503). */
      verify(token: string): TokenGrant | undefined;
      /** False for an agent that the workspace does not define; its requests get 403. Default: every agent is defined. */
      isDefined?(agent: string): boolean;
    }
  | { readonly kind: "none" /** Default `"default"`. */; readonly agent?: string };

/** Who sent a request. */
export interface Client {
  readonly agent: string;
  /** SHA-256 of the token as hex, by which a session knows whose it is without keeping the token. Empty without tokens. */
  readonly tokenHash: string;
  /** Whether the token still counts, as far as that can be said without it. May throw what `TokenGrant.isValid` throws. */
  isValid(this: void): boolean;
}

/** What the gate knows of the server. */
export interface GateSettings {
  readonly publicUrl: URL | undefined;
  readonly auth: HttpAuth;
  /** Longest body of a request; asked for each one, since an edit of toolyard.json may change it. */
  readonly maxBodyBytes: () => number;
  readonly rate: RequestRate;
}

/** What a request was refused for, as the log says it. */
export type RefusalReason =
  | "form"
  | "host"
  | "origin"
  | "path"
  | "method"
  | "token"
  | "agent"
  | "rate"
  | "size"
  | "type"
  | "stopping"
  | "failure";

/** An answer without a body of ours from MCP. `message` is for the person who looks for the cause. */
export interface Refusal {
  readonly kind: "refuse";
  readonly status: number;
  readonly reason: RefusalReason;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True for one of many that the log has told of already. */
  readonly isRepeated?: boolean;
}

/** What to do with a request. `cors` are headers for every answer to it. */
export type GateResult = Routed & {
  readonly cors: Readonly<Record<string, string>>;
};

/** A second value of one of these could be read differently by a proxy in front and by us. */
const SINGLE_HEADERS = new Set([
  "host",
  "origin",
  "authorization",
  "content-type",
  "content-length",
  "content-encoding",
  "mcp-session-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
]);

const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

const NO_CORS = {};

/** Checks the head of a request. */
export function checkHead(request: IncomingMessage, settings: GateSettings): GateResult {
  const malformed = checkForm(request) ?? checkHost(request, settings.publicUrl);
  if (malformed !== undefined) return { ...malformed, cors: NO_CORS };
  const { origin } = request.headers;
  if (origin !== undefined && !isAllowedOrigin(origin, settings.publicUrl)) {
    return {
      ...refuse(
        403,
        "origin",
        "Requests from this web origin are not allowed. Start the server with --public-url for the origin it is reached at.",
      ),
      cors: NO_CORS,
    };
  }
  const cors = origin === undefined ? NO_CORS : corsHeaders(origin);
  return { ...route(request, settings), cors };
}

/** Whether a request that passed the gate would pass its check of the token now. Throws what `HttpAuth.verify` throws. */
export function isStillAdmitted(request: IncomingMessage, auth: HttpAuth): boolean {
  return checkToken(request, auth).kind === "mcp";
}

/** True for a host to listen on that only this machine reaches. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

const PREFLIGHT_HEADERS = "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID";

/** A header that repeats an argument, by its name: a token (RFC 9110, 5.6.2) after the prefix. */
const PARAM_HEADER = /^mcp-param-[\w!#$%&'*+.^`|~-]+$/i;

/** Headers of the answer to a preflight: browsers ask before they send MCP headers or a token. */
export function preflightHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const asked = (headers["access-control-request-headers"] ?? "").split(",").map((name) => name.trim());
  // Their names are the tools' own, so none can be listed beforehand, and a wildcard would let in every other header.
  const params = asked.filter((name) => PARAM_HEADER.test(name));
  return {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": [PREFLIGHT_HEADERS, ...params].join(", "),
    "access-control-max-age": "600",
  };
}

function checkForm({ rawHeaders, url }: IncomingMessage): Refusal | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return refuse(400, "form", `The header ${name} stands twice. Send it once.`);
    seen.add(name);
  }
  // "GET http://other.example/mcp" carries a second host, which would have to win over the Host header.
  if (url?.startsWith("/") !== true) return refuse(400, "form", "The request target must be a path.");
  return undefined;
}

/** A page whose name was re-bound to this machine's address still sends its own name here, also where it sends no Origin. */
function checkHost({ headers }: IncomingMessage, publicUrl: URL | undefined): Refusal | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::\d{1,5})?$/i.exec(headers.host ?? "");
  const name = match?.[1]?.toLowerCase();
  if (name !== undefined && (LOOPBACK_HOSTS.includes(name) || name === publicUrl?.hostname)) return undefined;
  return refuse(403, "host", "The Host header does not name this server. Use its address as printed, or start it with --public-url.");
}

function isAllowedOrigin(origin: string, publicUrl: URL | undefined): boolean {
  const url = URL.parse(origin);
  // Only what a browser writes: scheme, host and port in their one spelling. "null" and lists are not.
  if (url === null || url.origin !== origin) return false;
  if (origin === publicUrl?.origin) return true;
  return (url.protocol === "http:" || url.protocol === "https:") && LOOPBACK_HOSTS.includes(url.hostname);
}

function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate, Retry-After",
    vary: "Origin",
  };
}

type Routed = Refusal | { readonly kind: "health" } | { readonly kind: "preflight" } | Admitted;

interface Admitted {
  readonly kind: "mcp";
  readonly client: Client;
}

function route(request: IncomingMessage, settings: GateSettings): Routed {
  const { method = "", url = "", headers } = request;
  const path = url.split("?", 1)[0];
  if (path === "/healthz") {
    return method === "GET" || method === "HEAD" ? { kind: "health" } : refuse(405, "method", "Use GET.", { allow: "GET, HEAD" });
  }
  if (path !== MCP_PATH) return refuse(404, "path", `There is nothing here. The MCP endpoint is ${MCP_PATH}.`);
  if (method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined)
    return { kind: "preflight" };
  if (method !== "POST" && method !== "GET" && method !== "DELETE")
    return refuse(405, "method", "Use POST, GET or DELETE.", { allow: "GET, POST, DELETE" });
  const admitted = checkToken(request, settings.auth);
  if (admitted.kind === "refuse") {
    const over = settings.rate.ofStranger();
    return over === undefined ? admitted : tooMany(over, "requests without a valid token");
  }
  const over = settings.rate.ofToken(admitted.client.tokenHash);
  if (over !== undefined) return tooMany(over, settings.auth.kind === "none" ? "requests" : "requests with this token");
  return (method === "POST" ? checkBodyHead(request, settings.maxBodyBytes()) : undefined) ?? admitted;
}

function checkToken({ url = "", headers }: IncomingMessage, auth: HttpAuth): Admitted | Refusal {
  if (auth.kind === "none") return { kind: "mcp", client: { agent: auth.agent ?? "default", tokenHash: "", isValid: () => true } };
  // Also with a right token in the header: what stands in a URL ends up in logs and histories (RFC 9700, 2.4 of RFC 6750).
  if (/[?&](?:access_token|token|api_key|authorization)=/i.test(url)) {
    return unauthorized("A token must not stand in the URL. Send it as: Authorization: Bearer TOKEN", "invalid_request");
  }
  if (headers.authorization === undefined) return unauthorized("This server needs a token. Send it as: Authorization: Bearer TOKEN");
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.authorization)?.[1];
  const found = token === undefined ? undefined : auth.verify(token);
  if (token === undefined || found === undefined)
    return unauthorized("The token is not valid here. A new one is made with: toolyard agents add NAME", "invalid_token");
  const isDefined = (): boolean => auth.isDefined?.(found.agent) !== false;
  if (!isDefined()) {
    return refuse(
      403,
      "agent",
      `The agent of this token is not defined in the workspace's toolyard.json. Add it there, or remove the token.`,
    );
  }
  const tokenHash = createHash("sha256").update(token, "utf8").digest("hex");
  return { kind: "mcp", client: { agent: found.agent, tokenHash, isValid: () => found.isValid?.() !== false && isDefined() } };
}

function unauthorized(message: string, error?: "invalid_token" | "invalid_request"): Refusal {
  return refuse(401, "token", message, { "www-authenticate": `Bearer realm="toolyard"${error === undefined ? "" : `, error="${error}"`}` });
}

function checkBodyHead({ headers }: IncomingMessage, maxBodyBytes: number): Refusal | undefined {
  if (Number(headers["content-length"]) > maxBodyBytes) return tooLarge(maxBodyBytes);
  // A compressed body could be small on the wire and huge in memory.
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity")
    return refuse(415, "type", "Compressed bodies are not read. Send the JSON as it is.");
  const mediaType = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") return refuse(415, "type", "The body must be JSON. Send Content-Type: application/json");
  return undefined;
}

/** 413 for a body over the limit. */
export function tooLarge(maxBodyBytes: number): Refusal {
  return refuse(413, "size", `The body is over the limit of ${maxBodyBytes} bytes ("httpBodyBytes"). Send less at once.`);
}

/** 429; what it says is enough for a client to wait for the right time (RFC 6585, 4). */
function tooMany({ requestsPerSecond, requestBurst, retryAfterSeconds, isRepeated }: OverRate, what: string): Refusal {
  const limits = `${requestBurst} at once ("httpRequestBurst") and ${requestsPerSecond} a second ("httpRequestsPerSecond")`;
  const message = `Too many ${what}: this server takes ${limits}. Try again in ${retryAfterSeconds} s.`;
  return { ...refuse(429, "rate", message, { "retry-after": String(retryAfterSeconds) }), isRepeated };
}

function refuse(status: number, reason: RefusalReason, message: string, headers?: Refusal["headers"]): Refusal {
  return { kind: "refuse", status, reason, message, ...(headers === undefined ? {} : { headers }) };
}
