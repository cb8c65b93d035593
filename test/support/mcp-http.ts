/** A server over HTTP in this process, and MCP messages to it without an SDK. */
import { defaultLimits } from "../../src/core/limits.ts";
import { silentLog } from "../../src/core/log.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { type HttpOptions, type HttpServer, startHttp } from "../../src/server/http.ts";

/** The token of {@link startTestHttp}, which stands for the agent "default". */
export const TEST_TOKEN = "right-token";

/** Starts a server on a free port of 127.0.0.1, with {@link TEST_TOKEN} unless `auth` says otherwise. */
export function startTestHttp(engine: Engine, options: Partial<HttpOptions> = {}): Promise<HttpServer> {
  return startHttp({
    engine,
    expose: "both",
    version: "0.0.0-test",
    log: silentLog,
    host: "127.0.0.1",
    port: 0,
    auth: { kind: "token", verify: (token) => (token === TEST_TOKEN ? { agent: "default" } : undefined) },
    limits: defaultLimits,
    ...options,
  });
}

/** A request of 2025-11-25. */
export function legacyMessage(method: string, params: object = {}, id: number | undefined = 1): object {
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params };
}

/** A notification, of either generation. */
export function notification(method: string, params: object = {}): object {
  return { jsonrpc: "2.0", method, params };
}

/** A request of 2026-07-28 with its envelope; `meta` is added to it. */
export function modernMessage(method: string, params: object = {}, id = 1, clientCapabilities: object = {}, meta: object = {}): object {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": clientCapabilities,
    ...meta,
  };
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
}

/** Headers of every POST. */
export const POST_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  authorization: `Bearer ${TEST_TOKEN}`,
};

/** Sends one message; what is undefined among the headers is left out. */
export function post(url: string, message: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { ...POST_HEADERS, ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Headers of a request of 2026-07-28. */
export function modernHeaders(method: string, name?: string): Record<string, string> {
  return { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...(name === undefined ? {} : { "mcp-name": name }) };
}

/** Calls a tool by 2026-07-28. */
export function callModern(url: string, name: string, args: object, signal?: AbortSignal): Promise<Response> {
  return post(url, modernMessage("tools/call", { name, arguments: args }), modernHeaders("tools/call", name), signal);
}

/** Parameters of `initialize`. */
export const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1.0.0" } };

/** Opens a session of 2025-11-25; gives its id. */
export async function openSession(url: string, headers: Record<string, string> = {}, capabilities: object = {}): Promise<string> {
  const response = await post(url, legacyMessage("initialize", { ...INITIALIZE, capabilities }), headers);
  await response.text();
  const id = response.headers.get("mcp-session-id");
  if (id === null) throw new Error(`no session: ${response.status}`);
  await post(url, notification("notifications/initialized"), { ...headers, "mcp-session-id": id });
  return id;
}

/** Opens a session and its listening stream; the stream is open until `stop`. */
export async function listeningSession(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ readonly id: string; readonly status: number; readonly stop: () => Promise<void> }> {
  const id = await openSession(url, headers);
  const controller = new AbortController();
  const stream = await fetch(url, { headers: { ...POST_HEADERS, ...headers, "mcp-session-id": id }, signal: controller.signal });
  const ended = streamEnd(stream);
  const stop = (): Promise<void> => {
    controller.abort();
    return ended;
  };
  return { id, status: stream.status, stop };
}

/** The messages of an answer, whether JSON or an event stream. */
export async function messagesOf(response: Response): Promise<readonly unknown[]> {
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("application/json") === true) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (.+)$/gm)].map((match) => JSON.parse(match[1] ?? ""));
}

/** The text of a stream until it holds `wanted`, or until its end. */
export async function textUntil(response: Response, wanted: string): Promise<string> {
  const reader = response.body?.getReader();
  let text = "";
  while (reader !== undefined && !text.includes(wanted)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  return text;
}

/** Settles when the server ended the stream, in whatever way. */
export async function streamEnd(response: Response): Promise<void> {
  await response.text().catch(() => undefined); // A connection that is cut rejects; that is an end too.
}
