/**
 * How often and how much at once a token may ask (facts-security 4.2). Counted after the token is known and before any
 * body is read, so that one client of many cannot keep the server busy for the others; nothing is counted by address,
 * which a proxy in front would share among all.
 */

/** Bounds for each token; those of the server, asked at each use, since an edit of toolyard.json may lower them. */
export interface RateLimits {
  /** Requests a second, over time. */
  readonly requestsPerSecond: number;
  /** Requests at once after a pause. */
  readonly requestBurst: number;
}

/** Why a request is not taken now. */
export interface OverRate extends RateLimits {
  /** Whole seconds after which the next one is taken, at least 1, as for the header Retry-After (RFC 9110, 10.2.3). */
  readonly retryAfterSeconds: number;
  /** True from the second refusal in a row on: one line of log tells of all of them. */
  readonly isRepeated: boolean;
}

/** Counts requests. */
export interface RequestRate {
  /** One with a token that counts; by the token's hash, empty on a server without tokens. */
  ofToken(tokenHash: string): OverRate | undefined;
  /** One without such a token. All of them share one allowance, which takes nothing from those who have a token. */
  ofStranger(): OverRate | undefined;
}

/** What the counting depends on. */
export interface RateOptions {
  readonly limits: () => RateLimits;
  /** Milliseconds of a clock that never goes back. For tests; default `performance.now`. */
  readonly now?: () => number;
}

/** Tokens remembered before those that have their whole allowance again are forgotten. */
const MAX_REMEMBERED = 1_000;

/** Parts of milliseconds that sums of fractions may be off by. */
const ROUNDING_MS = 1e-6;

const STRANGERS = "strangers";

/** Makes the counters of one server, all full. */
export function createRequestRate({ limits, now = () => performance.now() }: RateOptions): RequestRate {
  // The moment at which the whole allowance is back (the generic cell rate algorithm): one number says it all.
  const fullAtMs = new Map<string, number>();
  const refused = new Set<string>();
  const take = (key: string): OverRate | undefined => {
    const { requestsPerSecond, requestBurst } = limits();
    const nowMs = now();
    const eachMs = 1_000 / requestsPerSecond;
    const fullMs = Math.max(fullAtMs.get(key) ?? nowMs, nowMs) + eachMs;
    const waitMs = fullMs - nowMs - requestBurst * eachMs;
    if (waitMs <= ROUNDING_MS) {
      if (fullAtMs.size >= MAX_REMEMBERED) forgetFull(fullAtMs, nowMs);
      fullAtMs.set(key, fullMs);
      refused.delete(key);
      return undefined;
    }
    const isRepeated = refused.has(key);
    refused.add(key);
    return { requestsPerSecond, requestBurst, retryAfterSeconds: Math.ceil((waitMs - ROUNDING_MS) / 1_000), isRepeated };
  };
  return { ofToken: (tokenHash) => take(`token ${tokenHash}`), ofStranger: () => take(STRANGERS) };
}

function forgetFull(fullAtMs: Map<string, number>, nowMs: number): void {
  for (const [key, atMs] of fullAtMs) if (atMs <= nowMs) fullAtMs.delete(key);
}
