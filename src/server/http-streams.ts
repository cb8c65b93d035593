/**
 * Streams that only listen, counted by token. Each keeps one of the server's connections for as long as its client likes, so
 * without a bound one token could hold all of them.
 */
import { isJsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Client } from "./http-gate.ts";

/** The exchange that a stream would be. */
export interface StreamExchange {
  readonly request: Request;
  readonly client: Client;
  readonly message: unknown;
  /** Aborted when the exchange is over. */
  readonly closed: AbortSignal;
}

/** Answers a request that listens, or with 429 where its token has as many streams as it may. */
export type StreamPlaces = (exchange: StreamExchange, answer: () => Promise<Response>) => Promise<Response>;

/** Makes the places; `maxAtOnce` is asked at each use. */
export function createStreamPlaces(maxAtOnce: () => number, log: Log): StreamPlaces {
  const counts = new Map<string, number>();
  return async ({ client, message, closed }, answer) => {
    const limit = maxAtOnce();
    const count = counts.get(client.tokenHash) ?? 0;
    if (count >= limit) {
      log.info("http.refused", { status: 429, reason: "streams", agent: client.agent });
      return tooManyStreams(message, limit);
    }
    if (!closed.aborted) {
      counts.set(client.tokenHash, count + 1);
      closed.addEventListener("abort", () => leave(counts, client.tokenHash), { once: true });
    }
    return answer();
  };
}

/** True for the listening stream of a session, and for a subscription of 2026-07-28. */
export function isListening({ request, message }: StreamExchange): boolean {
  return request.method === "GET" || (isJsonObject(message) && message.method === "subscriptions/listen");
}

function leave(counts: Map<string, number>, tokenHash: string): void {
  const count = (counts.get(tokenHash) ?? 1) - 1;
  if (count === 0) counts.delete(tokenHash);
  else counts.set(tokenHash, count);
}

/** Clients that are refused a stream of a session go on without it: they miss changes of the lists, and their calls work. */
function tooManyStreams(message: unknown, limit: number): Response {
  const id = isJsonObject(message) && message.id !== undefined ? message.id : null;
  const text = `${limit} streams of this client listen at once, its limit on this server ("httpStreamsAtOnce"). Close one.`;
  return Response.json({ jsonrpc: "2.0", id, error: { code: -32_000, message: text } }, { status: 429, headers: { "retry-after": "60" } });
}
