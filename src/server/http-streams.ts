/**
 * Streams that only listen, counted by token. Each keeps one of the server's connections for as long as its client likes, so
 * without a bound one token could hold all of them.
 */
import { isJsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Client } from "./http-gate.ts";
import { refusal } from "./http-refusal.ts";
import { createTokenCounts } from "./token-counts.ts";

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
  const counts = createTokenCounts();
  return async ({ client, message, closed }, answer) => {
    const limit = maxAtOnce();
    if (counts.of(client.tokenHash) >= limit) {
      log.info("http.refused", { status: 429, reason: "streams", agent: client.agent });
      return tooManyStreams(message, limit);
    }
    if (!closed.aborted) {
      counts.change(client.tokenHash, 1);
      closed.addEventListener("abort", () => counts.change(client.tokenHash, -1), { once: true });
    }
    return answer();
  };
}

/** True for the listening stream of a session, and for a subscription of 2026-07-28. */
export function isListening({ request, message }: StreamExchange): boolean {
  return request.method === "GET" || (isJsonObject(message) && message.method === "subscriptions/listen");
}

/** Clients that are refused a stream of a session go on without it: they miss changes of the lists, and their calls work. */
function tooManyStreams(message: unknown, limit: number): Response {
  const text = `${limit} streams of this client listen at once, its limit on this server ("httpStreamsAtOnce"). Close one.`;
  return refusal(429, { message: text, to: message, headers: { "retry-after": "60" } });
}
