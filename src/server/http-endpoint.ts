import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from "@modelcontextprotocol/server";
import { messageOf } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { watchLists } from "./changes.ts";
import { type AnswerTimes, sendAnswer, sendText } from "./http-answer.ts";
import { discardRest, readBody } from "./http-body.ts";
import { checkHead, type GateSettings, preflightHeaders, type Refusal, tooLarge } from "./http-gate.ts";
import { beginsCall, createCallPlaces, withPlace } from "./http-places.ts";
import { type Exchange, watchTokens } from "./http-revocation.ts";
import { type SessionLimits, type SessionRequest, Sessions } from "./http-sessions.ts";
import { createStreamPlaces, isListening } from "./http-streams.ts";
import { parseJsonBytes } from "./json-text.ts";
import { buildHeaderCheckedServer, buildMcpServer, type McpServing } from "./mcp-server.ts";
import { PARAM_HEADER_PREFIX } from "./param-headers.ts";
import { createWaitingCalls, type WaitingCalls } from "./waiting-calls.ts";
import { INVALID_PARAMS, toWireMessage, type WireError, wireErrorBody } from "./wire-message.ts";

/** What answers the requests of an HTTP server. */
export interface Endpoint {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Further requests get 503. */
  stop(): void;
  /** Settles when the requests under way are answered, streams that only listen left out. */
  idle(): Promise<unknown>;
  /** Cancels what runs and closes all streams. */
  cancel(): Promise<void>;
}

/** Settings of an endpoint, each part with its user. */
export interface EndpointSettings {
  readonly gate: GateSettings;
  readonly sessions: SessionLimits;
  readonly answers: AnswerTimes;
  /** Milliseconds between two looks at the tokens of what is open. */
  readonly recheckMs: number;
  /** Calls of one token at once. */
  readonly callsAtOnce: () => number;
  /** Streams of one token that listen at once. */
  readonly streamsAtOnce: () => number;
}

/** What the SDK reads of a request's head. The token is not among it: nothing behind the gate needs it. */
const PASSED_HEADERS = ["accept", "content-type", "last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id"];

/** Makes the endpoint: gate, then body, then the handler of the request's protocol generation. */
export function createEndpoint(shared: McpServing, settings: EndpointSettings): Endpoint {
  const { engine, log } = shared;
  const places = createCallPlaces(engine, settings.callsAtOnce);
  const streams = createStreamPlaces(settings.streamsAtOnce, log);
  const serving = { ...shared, engine: places.engine };
  const waiting = createWaitingCalls();
  const sessions = new Sessions(serving, settings.sessions, waiting);
  const modern = createModern(serving, settings.answers.keepAliveMs, waiting);
  const watch = watchTokens({ auth: settings.gate.auth, sessions, log, recheckMs: settings.recheckMs });
  const underWay = new Set<Promise<void>>();
  const endAnnouncing = engine.onChange(announcer(serving, modern));
  let isStopping = false;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const head = checkHead(request, settings.gate);
    const headers = { ...head.cors, "x-content-type-options": "nosniff", ...(isStopping ? { connection: "close" } : {}) };
    if (head.kind === "refuse" && head.isRepeated !== true) log.info("http.refused", { status: head.status, reason: head.reason });
    if (head.kind !== "mcp") answerHead(response, head, head.kind === "preflight" ? { ...headers, ...preflightHeaders(request) } : headers);
    else if (isStopping)
      sendRefusal(response, { kind: "refuse", status: 503, reason: "stopping", message: "The server is stopping." }, headers);
    else await serveMcp({ request, response, client: head.client, headers });
  };

  const serveMcp = async ({ headers, ...exchange }: Admitted): Promise<void> => {
    const { request, response, client } = exchange;
    watch.add(exchange);
    const read = await readMessage(request, settings.gate.maxBodyBytes());
    if (read.kind !== "message") {
      answerUnread(response, read, headers);
      return;
    }
    const { message } = read;
    const closed = closedSignal(response);
    const pending = dispatch({ request: toWebRequest(request, closed), client, message, closed });
    const answered = sendAnswer(response, pending, { headers, closed, ...settings.answers });
    if (isCall(message)) track(underWay, answered);
    await answered;
  };

  const dispatch = async (incoming: SessionRequest): Promise<Response> => {
    const { request, client, message } = incoming;
    const isLegacy = await isLegacyRequest(request, message);
    const authInfo = { token: "", clientId: client.agent, scopes: [] };
    const answer = (): Promise<Response> =>
      isLegacy ? sessions.handle(incoming) : modern.fetch(request, { parsedBody: message, authInfo });
    if (isListening(incoming)) return streams(incoming, answer);
    if (!beginsCall(message, isLegacy)) return answer();
    return withPlace(places.take(client.tokenHash), incoming, { answer, log, callsAtOnce: settings.callsAtOnce() });
  };

  return {
    handle: (request, response) => {
      // A client that is gone while its answer is written is nobody's error; "close" tells those who wait.
      response.on("error", () => response.destroy());
      serve(request, response).catch((error: unknown) => answerFailure(response, error, log));
    },
    stop: () => {
      isStopping = true;
    },
    idle: () => Promise.allSettled(underWay),
    cancel: async () => {
      watch[Symbol.dispose]();
      endAnnouncing();
      waiting[Symbol.dispose]();
      await sessions[Symbol.asyncDispose]();
      await modern.close();
    },
  };
}

/** A request that passed the gate. */
interface Admitted extends Exchange {
  readonly headers: HeaderRecord;
}

type HeaderRecord = Readonly<Record<string, string>>;

/** Tells 2026-07-28 clients, each what it subscribed to, that something is another; what it is they have to ask for. */
function announcer(serving: McpServing, { notify }: McpHttpHandler): () => void {
  const changes = watchLists(serving);
  return () => {
    const { tools, prompts, resources, updated } = changes();
    if (tools) notify.toolsChanged();
    if (prompts) notify.promptsChanged();
    if (resources) notify.resourcesChanged();
    for (const uri of updated) notify.resourceUpdated(uri);
  };
}

function createModern(serving: McpServing, keepAliveMs: number, waiting: WaitingCalls): McpHttpHandler {
  return createMcpHandler(
    ({ authInfo, requestInfo }) => {
      // The header is checked against the body before this runs; only this method shows instructions.
      const method = requestInfo?.headers.get("mcp-method");
      const caller = { agent: authInfo?.clientId ?? "", origin: "mcp" as const };
      const connection = { caller, era: "modern" as const, withInstructions: method === "server/discover", waiting };
      return method === "tools/call" ? buildHeaderCheckedServer(serving, connection) : buildMcpServer(serving, connection);
    },
    { legacy: "reject", keepAliveMs, onerror: (error) => serving.log.debug("mcp.http.error", { error: error.name }) },
  );
}

type Read =
  | ReturnType<typeof toWireMessage>
  | { readonly kind: "message"; readonly message: undefined }
  | Refusal
  | { readonly kind: "gone" };

async function readMessage(request: IncomingMessage, maxBytes: number): Promise<Read> {
  if (request.method !== "POST") return { kind: "message", message: undefined };
  const body = await readBody(request, maxBytes);
  switch (body.kind) {
    case "gone":
      return body;
    case "too-large":
      return tooLarge(maxBytes);
    case "bytes":
      return toWireMessage(parseJsonBytes(body.bytes));
  }
}

function answerHead(
  response: ServerResponse,
  head: Refusal | { readonly kind: "health" } | { readonly kind: "preflight" },
  headers: HeaderRecord,
): void {
  switch (head.kind) {
    case "refuse":
      sendRefusal(response, head, headers);
      break;
    case "health":
      sendText(response, 200, "ok\n", { ...headers, "content-type": "text/plain" });
      break;
    case "preflight":
      response.writeHead(204, headers).end();
  }
}

function answerFailure(response: ServerResponse, error: unknown, log: Log): void {
  log.error("http.failed", { error: messageOf(error) });
  if (response.headersSent) response.destroy();
  else
    sendRefusal(
      response,
      { kind: "refuse", status: 503, reason: "failure", message: "The server could not handle this request; its log has the reason." },
      {},
    );
}

function answerUnread(response: ServerResponse, read: Exclude<Read, { kind: "message" }>, headers: HeaderRecord): void {
  switch (read.kind) {
    case "gone":
      break;
    case "refuse":
      sendRefusal(response, read, headers);
      break;
    case "refused":
      sendText(response, statusOf(read.error), JSON.stringify(wireErrorBody(read.error)), {
        ...headers,
        "content-type": "application/json",
      });
  }
}

/** A request that was understood has an answer; clients take another status for a failure of the transport and hide the message. */
function statusOf({ code, isMalformed }: WireError): number {
  return code === INVALID_PARAMS && isMalformed !== true ? 200 : 400;
}

function toWebRequest({ method = "GET", url = "/", headers }: IncomingMessage, signal: AbortSignal): Request {
  const passed = new Headers();
  const names = Object.keys(headers).filter((name) => name.startsWith(PARAM_HEADER_PREFIX));
  for (const name of [...PASSED_HEADERS, ...names]) {
    const value = headers[name];
    if (typeof value === "string") passed.set(name, value);
  }
  return new Request(new URL(url, "http://localhost"), { method, headers: passed, signal });
}

function closedSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else response.once("close", () => controller.abort());
  return controller.signal;
}

/** True for a request that ends by itself; a subscription lasts as long as its client. */
function isCall(message: unknown): boolean {
  return isJsonObject(message) && message.method !== "subscriptions/listen";
}

function track(underWay: Set<Promise<void>>, answered: Promise<void>): void {
  underWay.add(answered);
  const forget = (): void => {
    underWay.delete(answered);
  };
  answered.then(forget, forget);
}

function sendRefusal(response: ServerResponse, { status, message, headers }: Refusal, more: HeaderRecord): void {
  discardRest(response.req);
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } });
  sendText(response, status, body, { ...more, "content-type": "application/json", "cache-control": "no-store", ...headers });
}
