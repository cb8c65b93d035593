/**
 * MCP over Streamable HTTP, both protocol generations on one path. Every request passes the gate (Host, Origin, token,
 * size) before anything of it is parsed; nothing is reachable from other machines unless a public URL and tokens are set.
 */
import { once } from "node:events";
import { createServer, type Server as NodeServer } from "node:http";
import { systemCode, ToolError } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import { createEndpoint, type Endpoint } from "./http-endpoint.ts";
import { type HttpAuth, isLoopbackHost, MCP_PATH } from "./http-gate.ts";
import { createRequestRate, type RequestRate } from "./http-rate.ts";
import type { McpServing } from "./mcp-server.ts";

/** Times of the HTTP server, all in milliseconds. */
export interface HttpTimes {
  /** For the head of a request. */
  readonly headersMs: number;
  /** For a whole request, its body included. */
  readonly requestMs: number;
  /** An idle connection is kept this long. */
  readonly keepAliveMs: number;
  /** Between comments on open streams; proxies cut at 60 s of silence. */
  readonly pingMs: number;
  /** A client that takes nothing of its answer for this long is dropped. */
  readonly drainMs: number;
  /**
   * Between two looks at the tokens of open streams, calls and sessions, which end within this time after their token
   * was removed. One look costs a system call for each, so a shorter time would gain little and burden an idle server.
   */
  readonly recheckMs: number;
}

/** Times in force unless said otherwise. */
export const HTTP_TIMES: HttpTimes = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 5_000,
  pingMs: 25_000,
  drainMs: 30_000,
  recheckMs: 1_000,
};

/** What an HTTP server needs. */
export interface HttpOptions extends McpServing {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Address by which clients outside of this machine reach the server, such as `https://tools.example.com`. */
  readonly publicUrl?: string;
  readonly auth: HttpAuth;
  /** The limits as of now, asked at each use. */
  readonly limits: () => Pick<
    Limits,
    "httpBodyBytes" | "sessions" | "sessionIdleMs" | "httpRequestsPerSecond" | "httpRequestBurst" | "httpCallsAtOnce" | "httpStreamsAtOnce"
  >;
  /** For tests; default {@link HTTP_TIMES}. */
  readonly times?: Partial<HttpTimes>;
  /** Milliseconds of a clock that never goes back, by which requests are counted. For tests; default `performance.now`. */
  readonly now?: () => number;
}

/** A server that listens. */
export interface HttpServer extends AsyncDisposable {
  /** Of the MCP endpoint on this machine, with the port in use. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting, lets calls finish for up to `deadlineMs` (default 10,000), then cancels them; resolves when no
   * connection is left. Called again, it waits no longer.
   */
  close(deadlineMs?: number): Promise<void>;
}

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 256;
/** Then the client connects anew, so that no connection lasts for ever (facts-security 4.2). */
const MAX_REQUESTS_PER_SOCKET = 1_000;
/** How often Node looks for connections over their time; its default of 30 s would triple the times above. */
const CHECK_MS = 1_000;
const CLOSE_DEADLINE_MS = 10_000;
/** For the answers of calls that were cancelled at the end, in milliseconds. */
const LAST_ANSWERS_MS = 250;

/**
 * Starts listening. Throws `ToolError` UNAVAILABLE if it may not listen there (another machine could reach it, but public
 * URL or tokens are missing), or cannot (`data.reason` is the system's code, such as `EADDRINUSE`).
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const publicUrl = parsePublicUrl(options.publicUrl);
  refuseOpenServer(options, publicUrl);
  const times = { ...HTTP_TIMES, ...options.times };
  const { host, limits, log } = options;
  const endpoint = createEndpoint(options, {
    gate: { publicUrl, auth: options.auth, maxBodyBytes: () => limits().httpBodyBytes, rate: requestRate(options) },
    sessions: { maxSessions: () => limits().sessions, idleMs: () => limits().sessionIdleMs, keepAliveMs: times.pingMs },
    answers: { keepAliveMs: times.pingMs, drainMs: times.drainMs },
    recheckMs: times.recheckMs,
    callsAtOnce: () => limits().httpCallsAtOnce,
    streamsAtOnce: () => limits().httpStreamsAtOnce,
  });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: times.headersMs,
      requestTimeout: times.requestMs,
      keepAliveTimeout: times.keepAliveMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, times.headersMs),
      // What Node's option --insecure-http-parser would let through: two lengths, line ends that proxies read otherwise.
      insecureHTTPParser: false,
    },
    endpoint.handle,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
  server.on("drop", () => log.warn("http.connection.dropped", { limit: MAX_CONNECTIONS }));
  const port = await listenOrCancel(server, endpoint, options);
  const close = closer(server, endpoint);
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}${MCP_PATH}`,
    port,
    close,
    [Symbol.asyncDispose]: () => close(0),
  };
}

function requestRate({ limits, now }: HttpOptions): RequestRate {
  return createRequestRate({
    limits: () => ({ requestsPerSecond: limits().httpRequestsPerSecond, requestBurst: limits().httpRequestBurst }),
    ...(now === undefined ? {} : { now }),
  });
}

function parsePublicUrl(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && (url.protocol === "https:" || url.protocol === "http:")) return url;
  throw new ToolError(
    "UNAVAILABLE",
    `The public URL "${text}" is not an http or https URL. Write it as clients do, such as https://tools.example.com.`,
  );
}

function refuseOpenServer({ host, auth }: HttpOptions, publicUrl: URL | undefined): void {
  const isLoopback = isLoopbackHost(host);
  if (auth.kind === "none") {
    if (isLoopback && publicUrl === undefined) return;
    throw new ToolError("UNAVAILABLE", `Without tokens only this machine is served, and ${openText(host, publicUrl)}`);
  }
  if (!isLoopback && publicUrl === undefined) {
    throw new ToolError(
      "UNAVAILABLE",
      `Listening on ${host}, other machines can reach the server, so it must know the address they use. Add --public-url, or listen on 127.0.0.1.`,
    );
  }
}

/** Names only what was given: a hint to leave out what is not there helps nobody. */
function openText(host: string, publicUrl: URL | undefined): string {
  if (isLoopbackHost(host)) return "a public URL is for others. Leave out --public-url, or use tokens.";
  const next =
    publicUrl === undefined
      ? "Listen on 127.0.0.1, or use tokens and add --public-url."
      : "Listen on 127.0.0.1 and leave out --public-url, or use tokens.";
  return `${host} is reachable from others. ${next}`;
}

async function listenOrCancel(server: NodeServer, endpoint: Endpoint, options: HttpOptions): Promise<number> {
  try {
    return await listen(server, options);
  } catch (error) {
    await endpoint.cancel();
    throw error;
  }
}

async function listen(server: NodeServer, { host, port }: HttpOptions): Promise<number> {
  server.listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    throw cannotListen(host, port, error);
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

function cannotListen(host: string, port: number, cause: unknown): ToolError {
  const reason = systemCode(cause);
  const message =
    reason === "EADDRINUSE"
      ? `Port ${port} of ${host} is in use, perhaps by another toolyard (${reason}). Choose another port; --http 0 takes a free one.`
      : `The server cannot listen on ${host}, port ${port} (${reason}). Choose another port or address.`;
  return new ToolError("UNAVAILABLE", message, { cause, data: { reason } });
}

function closer(server: NodeServer, endpoint: Endpoint): HttpServer["close"] {
  const hurry = Promise.withResolvers<void>();
  let closing: Promise<void> | undefined;
  const run = async (deadlineMs: number): Promise<void> => {
    endpoint.stop();
    const gone = once(server, "close");
    server.close();
    await within(deadlineMs, endpoint.idle(), hurry.promise);
    await endpoint.cancel();
    await within(LAST_ANSWERS_MS, endpoint.idle());
    server.closeAllConnections();
    await gone;
  };
  return (deadlineMs = CLOSE_DEADLINE_MS) => {
    if (closing !== undefined) hurry.resolve();
    closing ??= run(deadlineMs);
    return closing;
  };
}

/** Settles with the first of the promises, or when the time is over. */
async function within(ms: number, ...promises: readonly Promise<unknown>[]): Promise<void> {
  const { promise: elapsed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([elapsed, ...promises]);
  } finally {
    clearTimeout(timer);
  }
}
