/**
 * Tokens of tools with `auth`, in memory only: one fetch for all calls that wait for it, kept until shortly before its end,
 * fetched again when an API refused it. A token belongs to what it was asked for with: to one tool, one agent, one set of values.
 */
import { createHash } from "node:crypto";
import type { Secret } from "../core/secret.ts";
import type { IssuedToken } from "../egress/oauth-request.ts";
import type { TokenGrant, TokenSource } from "../secrets/oauth-grant.ts";

/** What a cache is made with. */
export interface TokenCacheOptions {
  /** Asks the issuer. Throws `ToolError`. */
  readonly request: (grant: TokenGrant, signal: AbortSignal) => Promise<IssuedToken>;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Longest time of one token request, in milliseconds. Default 10 s. */
  readonly timeoutMs?: number;
}

/** Longest time of one token request: issuers answer within a second or not at all. */
const TIMEOUT_MS = 10_000;

/** Life of a token whose issuer does not say; a longer one is renewed when the API refuses it. */
const UNKNOWN_LIFE_MS = 5 * 60_000;

/** A token is renewed so long before its end, or when a tenth of its life is left if that is less: a request takes its time. */
const EARLY_MS = 60_000;

/** A failed fetch is not tried again for so long: many calls must not hammer an issuer that is down. */
const FAILURE_MS = 5_000;

/** A token so young that is refused is not renewed: the next one would be refused as well. */
const FRESH_MS = 5_000;

/** Tokens kept; those unused the longest make room. */
const MAX_KEPT = 500;

interface Held {
  readonly token: Secret;
  readonly renewAtMs: number;
  readonly endsAtMs: number;
  /** When it was fetched because another one was refused; undefined: it was not. */
  readonly renewedAtMs: number | undefined;
}

interface Slot {
  held: Held | undefined;
  failed: { readonly error: unknown; readonly atMs: number } | undefined;
  pending: Promise<Held> | undefined;
}

/** An empty cache. */
export function createTokenCache({ request, now = Date.now, timeoutMs = TIMEOUT_MS }: TokenCacheOptions): TokenSource {
  const slots = new Map<string, Slot>();
  const fetchInto = (slot: Slot, grant: TokenGrant, renewedAtMs: number | undefined): Promise<Held> => {
    const { failed } = slot;
    if (slot.pending !== undefined) return slot.pending;
    if (failed !== undefined && now() - failed.atMs < FAILURE_MS) return Promise.reject(failed.error);
    // Of its own: a call that ends must not take the token from those that wait with it.
    const pending = request(grant, AbortSignal.timeout(timeoutMs))
      .then((issued) => {
        const held = holdOf(issued, now(), renewedAtMs);
        slot.held = held;
        slot.failed = undefined;
        return held;
      })
      .catch((error: unknown) => {
        slot.failed = { error, atMs: now() };
        throw error;
      })
      .finally(() => {
        slot.pending = undefined;
      });
    slot.pending = pending;
    return pending;
  };
  return {
    async get(grant, signal) {
      const slot = slotFor(slots, grant);
      const { held } = slot;
      if (held !== undefined && now() < held.renewAtMs) return held.token;
      try {
        return (await waitFor(fetchInto(slot, grant, undefined), signal)).token;
      } catch (error) {
        // It still holds for a moment: an issuer that is down just now costs nobody a call.
        if (!signal.aborted && held !== undefined && now() < held.endsAtMs) return held.token;
        throw error;
      }
    },
    async renew(grant, refused, signal) {
      const slot = slotFor(slots, grant);
      const { held, pending } = slot;
      if (pending !== undefined) return (await waitFor(pending, signal)).token;
      // Another call was refused before and has a new one already.
      if (held !== undefined && held.token.reveal() !== refused.reveal()) return held.token;
      if (held?.renewedAtMs !== undefined && now() - held.renewedAtMs < FRESH_MS) return undefined;
      slot.held = undefined;
      return (await waitFor(fetchInto(slot, grant, now()), signal)).token;
    },
  };
}

function holdOf({ token, lifeMs = UNKNOWN_LIFE_MS }: IssuedToken, nowMs: number, renewedAtMs: number | undefined): Held {
  const life = Math.min(lifeMs, 24 * 3_600_000);
  return { token, renewAtMs: nowMs + life - Math.min(EARLY_MS, life / 10), endsAtMs: nowMs + life, renewedAtMs };
}

/** The slot of equal grants. The one asked for stands last, so that the first is the one unused the longest. */
function slotFor(slots: Map<string, Slot>, grant: TokenGrant): Slot {
  const key = keyOf(grant);
  const slot: Slot = slots.get(key) ?? { held: undefined, failed: undefined, pending: undefined };
  slots.delete(key);
  slots.set(key, slot);
  const [oldest] = slots.keys();
  if (slots.size > MAX_KEPT && oldest !== undefined) slots.delete(oldest);
  return slot;
}

/** By content: a secret that was replaced, or stands for another one, gets another token. */
function keyOf({ tool, agent, tokenUrl, clientId, clientSecret, scope, clientAuth }: TokenGrant): string {
  const facts = [tool, agent, tokenUrl.href, clientId.reveal(), clientSecret.reveal(), scope ?? null, clientAuth];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

/** The promise, or the signal's reason if that comes first. */
function waitFor<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: outcome, resolve, reject } = Promise.withResolvers<Value>();
  const giveUp = (): void => reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  return outcome;
}
