import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { type Client, type HttpAuth, isStillAdmitted } from "./http-gate.ts";
import type { Sessions } from "./http-sessions.ts";

/** A request that passed the gate, with its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: Client;
}

/** What is looked at. */
export interface TokenWatchOptions {
  readonly auth: HttpAuth;
  readonly sessions: Sessions;
  readonly log: Log;
  /** Milliseconds between two looks. */
  readonly recheckMs: number;
}

/** Ends what was opened with a token that was removed since. Dispose it to end the watching. */
export interface TokenWatch extends Disposable {
  /** Watches the exchange until its connection or answer is over. */
  add(exchange: Exchange): void;
}

/**
 * Starts the watching. As at the gate, a token list that cannot be read counts for nobody: open exchanges end then too.
 * It does not keep the process alive.
 */
export function watchTokens({ auth, sessions, log, recheckMs }: TokenWatchOptions): TokenWatch {
  const exchanges = new Set<Exchange>();
  const counts = (check: () => boolean): boolean => {
    try {
      return check();
    } catch (error) {
      log.error("http.recheck.failed", { error: messageOf(error) });
      return false;
    }
  };
  const recheck = (): void => {
    const revoked = new Set<string>();
    for (const { request, response, client } of exchanges) {
      if (counts(() => isStillAdmitted(request, auth))) continue;
      revoked.add(client.tokenHash);
      log.info("http.revoked", { agent: client.agent });
      // Whatever is being sent: a stream, or the answer of a call, which is cancelled by this.
      response.destroy();
    }
    sessions.end((client) => revoked.has(client.tokenHash) || !counts(client.isValid));
  };
  const timer = auth.kind === "none" ? undefined : setInterval(recheck, recheckMs).unref();
  return {
    add: (exchange) => {
      exchanges.add(exchange);
      exchange.response.once("close", () => exchanges.delete(exchange));
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
