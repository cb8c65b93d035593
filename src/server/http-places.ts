/**
 * Places for the calls of one token. A place is taken by the request that brings the call, and given back when the call
 * itself is over: a client of 2025-11-25 that lets go of its connection does not end its call by that, and must not make
 * room for the next one so.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { isJsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Engine } from "../engine/engine.ts";
import type { Client } from "./http-gate.ts";
import { refusal } from "./http-refusal.ts";
import { createTokenCounts } from "./token-counts.ts";

/** A place that was taken. */
export interface Place {
  /** Runs the handling of the request; the first call of the engine within it keeps the place until it is over. */
  hold<Result>(work: () => Result): Result;
  /** The request is over. Gives the place back unless a call of the engine keeps it. Again: nothing. */
  leave(): void;
}

/** The places of a server. */
export interface CallPlaces {
  /** The engine for the handlers of requests; its calls keep the places of their requests. */
  readonly engine: Engine;
  /** A place for a call of this token; undefined while all of them are taken. */
  take(tokenHash: string): Place | undefined;
  /** Places that are taken now, of all tokens. */
  taken(): number;
}

/** Makes the places; `maxAtOnce` is asked at each use. */
export function createCallPlaces(engine: Engine, maxAtOnce: () => number): CallPlaces {
  const counts = createTokenCounts();
  // How a call of the engine finds the place of its request: the SDK that lies between them knows nothing of places.
  const current = new AsyncLocalStorage<Keeper>();
  return {
    engine: {
      ...engine,
      call: async (caller, request) => {
        const giveBack = current.getStore()?.keep();
        try {
          return await engine.call(caller, request);
        } finally {
          giveBack?.();
        }
      },
    },
    take: (tokenHash) => {
      if (counts.of(tokenHash) >= maxAtOnce()) return undefined;
      counts.change(tokenHash, 1);
      const keeper = createKeeper((by) => counts.change(tokenHash, by));
      return { hold: (work) => current.run(keeper, work), leave: keeper.leave };
    },
    taken: counts.total,
  };
}

/**
 * True for a request that begins a call. What cancels, pings or answers a question is none and always comes through; nor
 * is, since 2026-07-28, the request with which a client comes back to a call that has its place already.
 */
export function beginsCall(message: unknown, isLegacy: boolean): boolean {
  if (!isJsonObject(message) || message.method !== "tools/call" || message.id === undefined) return false;
  return isLegacy || !isJsonObject(message.params) || message.params.requestState === undefined;
}

/** The exchange of a call. */
export interface CallExchange {
  readonly client: Client;
  readonly message: unknown;
  /** Aborted when the exchange is over. */
  readonly closed: AbortSignal;
}

/** Answers a call on its place, or with 429 where there is none. */
export function withPlace(
  place: Place | undefined,
  { client, message, closed }: CallExchange,
  { answer, log, callsAtOnce }: { readonly answer: () => Promise<Response>; readonly log: Log; readonly callsAtOnce: number },
): Promise<Response> {
  if (place === undefined) {
    log.info("http.refused", { status: 429, reason: "calls", agent: client.agent });
    return Promise.resolve(tooManyCalls(message, callsAtOnce));
  }
  if (closed.aborted) place.leave();
  else closed.addEventListener("abort", place.leave, { once: true });
  return place.hold(answer);
}

function tooManyCalls(message: unknown, callsAtOnce: number): Response {
  const text = `${callsAtOnce} calls of this client run at once, its limit on this server ("httpCallsAtOnce"). Wait for one to end, or cancel one.`;
  return refusal(429, { message: text, to: message, headers: { "retry-after": "1" } });
}

interface Keeper {
  /** Keeps a place for a call, which gives it back; undefined inside of a call that has one. */
  keep(): (() => void) | undefined;
  leave(): void;
}

function createKeeper(change: (by: 1 | -1) => void): Keeper {
  let state: "request" | "call" | "free" = "request";
  const free = (): void => {
    state = "free";
    change(-1);
  };
  return {
    keep: () => {
      if (state === "call") return undefined;
      // The client was gone before its call began: it counts all the same.
      if (state === "free") change(1);
      state = "call";
      return free;
    },
    leave: () => {
      if (state === "request") free();
    },
  };
}
