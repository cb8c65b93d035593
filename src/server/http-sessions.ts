/**
 * Sessions of clients that speak 2025-11-25 or older over HTTP: without them neither cancellation nor list_changed would
 * reach those clients. A session belongs to one token, is bounded in number and in idle time, and holds one SDK server.
 * Most clients go without a word, so where all places are taken the one that was idle longest makes room.
 */
import { randomUUID } from "node:crypto";
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { messageOf } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { isJsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { announceChanges } from "./changes.ts";
import type { Client } from "./http-gate.ts";
import { refusal } from "./http-refusal.ts";
import { buildMcpServer, type McpServing } from "./mcp-server.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

/** Bounds of the sessions; those that toolyard.json sets are asked at each use. */
export interface SessionLimits {
  readonly maxSessions: () => number;
  /** Milliseconds without any request or open stream after which a session ends. */
  readonly idleMs: () => number;
  /** Milliseconds between comments on open streams. */
  readonly keepAliveMs: number;
}

/** A request of that generation, checked and parsed. */
export interface SessionRequest {
  readonly request: Request;
  readonly client: Client;
  /** The parsed body of a POST. */
  readonly message: unknown;
  /** Aborted when the HTTP exchange is over, whatever its end. */
  readonly closed: AbortSignal;
}

interface Session {
  /** Of the handshake; further requests must come with the same token. */
  readonly client: Client;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** HTTP exchanges under way, the listening stream included, and calls, which outlast an exchange that was broken off. */
  uses: number;
  /** When the last use ended, as `performance.now()`. */
  idleSince: number;
  idleTimer: NodeJS.Timeout | undefined;
}

/** Owns the sessions of one server. */
export class Sessions {
  readonly #serving: McpServing;
  readonly #limits: SessionLimits;
  readonly #waiting: WaitingCalls;
  readonly #log: Log;
  readonly #sessions = new Map<string, Session>();
  /** Sessions whose handshake runs; they count, else many at once would pass the cap. */
  #opening = 0;

  constructor(serving: McpServing, limits: SessionLimits, waiting: WaitingCalls) {
    this.#serving = serving;
    this.#waiting = waiting;
    this.#limits = limits;
    this.#log = serving.log;
  }

  /** Sessions that are open now. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Answers one request. Unknown and ended sessions, and those of other tokens, all answer 404, before any stream is opened. */
  async handle(incoming: SessionRequest): Promise<Response> {
    const { request, message } = incoming;
    // Whatever session it names: a client that starts anew after this server was restarted sends the old id.
    if (request.method === "POST" && isInitializeRequest(message)) return this.#open(incoming);
    const id = request.headers.get("mcp-session-id");
    if (id === null)
      return refusal(400, { message: "The Mcp-Session-Id header is missing. Send initialize first, then the id it answers with." });
    const session = this.#sessions.get(id);
    if (session === undefined || !isSameClient(session.client, incoming.client)) {
      return refusal(404, { code: -32_001, message: "There is no such session. Send initialize for a new one." });
    }
    return this.#exchange(session, incoming);
  }

  /** Ends the sessions of these clients: their streams close and their calls are cancelled. */
  end(isOver: (client: Client) => boolean): void {
    for (const session of this.#sessions.values()) {
      if (!isOver(session.client)) continue;
      this.#log.info("mcp.session.revoked", { agent: session.client.agent });
      this.#close(session);
    }
  }

  /** Ends all sessions: their streams close and their calls are cancelled. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.transport.close()));
  }

  async #open(incoming: SessionRequest): Promise<Response> {
    const { keepAliveMs } = this.#limits;
    const maxSessions = this.#limits.maxSessions();
    if (!this.#makeRoom(incoming.client, maxSessions)) {
      this.#log.warn("mcp.sessions.full", { limit: maxSessions });
      const text = `${maxSessions} sessions are open and in use, the limit of this server ("sessions"). End one, or try again later.`;
      return refusal(503, { message: text, headers: { "retry-after": "60" } });
    }
    this.#opening++;
    try {
      const caller = { agent: incoming.client.agent, origin: "mcp" as const, client: newId() };
      const connection = { caller, era: "legacy" as const, withInstructions: true, waiting: this.#waiting };
      const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, keepAliveMs });
      const session: Session = { client: incoming.client, transport, uses: 0, idleSince: 0, idleTimer: undefined };
      const serving = { ...this.#serving, engine: this.#engineFor(session) };
      const server = await buildMcpServer(serving, connection);
      announceChanges(server, serving, connection);
      transport.onclose = () => this.#forget(session);
      await server.connect(transport);
      const response = await this.#exchange(session, incoming);
      if (transport.sessionId === undefined) await transport.close();
      else {
        this.#sessions.set(transport.sessionId, session);
        // The client may have gone away during the handshake.
        this.#watchIdle(session);
      }
      return response;
    } finally {
      this.#opening--;
    }
  }

  /**
   * Ends sessions that nobody uses until one more has its place; false where that is not enough. Those of the same client
   * first, then of one that has more of them: whoever fills the server takes no place of those who have few.
   */
  #makeRoom(client: Client, maxSessions: number): boolean {
    while (this.#sessions.size + this.#opening >= maxSessions) {
      const all = [...this.#sessions.values()];
      const countOf = ({ tokenHash }: Client): number => all.filter((session) => session.client.tokenHash === tokenHash).length;
      const idle = all.filter(({ uses }) => uses === 0).sort((a, b) => a.idleSince - b.idleSince);
      const ended =
        idle.find((session) => session.client.tokenHash === client.tokenHash) ??
        idle.find((session) => countOf(session.client) > countOf(client));
      if (ended === undefined) return false;
      this.#log.info("mcp.session.replaced", { agent: ended.client.agent, limit: maxSessions });
      this.#forget(ended);
      this.#close(ended);
    }
    return true;
  }

  /** The engine for one session; its calls keep the session from being idle. */
  #engineFor(session: Session): McpServing["engine"] {
    const { engine } = this.#serving;
    return {
      ...engine,
      call: async (caller, request) => {
        this.#begin(session);
        try {
          return await engine.call(caller, request);
        } finally {
          this.#done(session);
        }
      },
    };
  }

  async #exchange(session: Session, { request, message, closed }: SessionRequest): Promise<Response> {
    this.#begin(session);
    const done = (): void => this.#done(session);
    if (closed.aborted) done();
    else closed.addEventListener("abort", done, { once: true });
    const response = await session.transport.handleRequest(request, message === undefined ? {} : { parsedBody: message });
    const cancelled = cancelledId(message);
    // A cancelled call gets no answer, so nothing else would ever close the stream it was to be answered on.
    if (cancelled !== undefined) session.transport.closeSSEStream(cancelled);
    return response;
  }

  #begin(session: Session): void {
    session.uses++;
    clearTimeout(session.idleTimer);
  }

  #done(session: Session): void {
    session.uses--;
    session.idleSince = performance.now();
    this.#watchIdle(session);
  }

  #watchIdle(session: Session): void {
    const { sessionId } = session.transport;
    if (session.uses > 0 || sessionId === undefined || !this.#sessions.has(sessionId)) return;
    const idleMs = this.#limits.idleMs();
    clearTimeout(session.idleTimer);
    session.idleTimer = setTimeout(() => {
      this.#log.info("mcp.session.idle", { agent: session.client.agent, idleMs });
      this.#close(session);
    }, idleMs).unref();
  }

  #close(session: Session): void {
    session.transport.close().catch((error: unknown) => this.#log.warn("mcp.session.close", { error: messageOf(error) }));
  }

  #forget(session: Session): void {
    clearTimeout(session.idleTimer);
    if (session.transport.sessionId !== undefined) this.#sessions.delete(session.transport.sessionId);
  }
}

/** The agent too, should a token come to stand for another one. */
function isSameClient(a: Client, b: Client): boolean {
  return a.tokenHash === b.tokenHash && a.agent === b.agent;
}

function cancelledId(message: unknown): string | number | undefined {
  if (!isJsonObject(message) || message.method !== "notifications/cancelled" || !isJsonObject(message.params)) return undefined;
  const { requestId } = message.params;
  return typeof requestId === "string" || typeof requestId === "number" ? requestId : undefined;
}
