/** Redirects, by hand: what the next hop is, or why there is none. Rules of the Fetch standard, "HTTP-redirect fetch". */
import { ToolError } from "../core/errors.ts";
import { hostPortOf } from "../core/host-pattern.ts";
import { findsDeep } from "./deep-search.ts";
import { networkError } from "./network-error.ts";
import type { Redactor } from "./redactor.ts";
import { withoutContent, withoutCredentials } from "./request-headers.ts";
import type { Hop } from "./script-request.ts";
import { parseTarget } from "./target.ts";
import type { Answer } from "./transport.ts";

/** What limits a redirect. */
export interface RedirectOptions {
  readonly maxRedirects: number;
  /** Finds the secrets of the call so far; undefined if no place of the chain was sent one. */
  readonly masked: Redactor | undefined;
}

/** The Location to follow; undefined if the answer is the last one. Throws NETWORK_ERROR for a redirect that was not wanted or is ambiguous. */
export function redirectTarget(answer: Answer, mode: "follow" | "manual" | "error", host: string): string | undefined {
  if (!REDIRECT_STATUSES.includes(answer.status) || mode === "manual") return undefined;
  const [location, ...others] = answer.headers.get("location") ?? [];
  if (location === undefined) return undefined;
  if (mode === "error") throw networkError(host, "REDIRECT");
  if (others.length > 0) throw networkError(host, "BAD_REDIRECT");
  return location;
}

/** The hop that a redirect leads to. It is judged and gets its headers like every other. */
export function nextHop(hop: Hop, status: number, location: string, { maxRedirects, masked }: RedirectOptions): Hop {
  const from = hostPortOf(hop.url);
  if (hop.redirects >= maxRedirects) throw networkError(from, "TOO_MANY_REDIRECTS");
  const url = parseLocation(location, hop.url, from);
  const isSameOrigin = url.origin === hop.url.origin;
  // A server that writes the header it got into the Location, in whatever wrapping, would send the secret on to a stranger.
  if (!isSameOrigin && masked !== undefined && (findsDeep(masked, location) || findsDeep(masked, url.href))) {
    throw new ToolError("SECRET_HOST", `${from} redirects to another host, with a secret in the URL. Nothing was sent there.`);
  }
  if (hop.url.protocol === "https:" && url.protocol === "http:") throw networkError(from, "REDIRECT_TO_HTTP");
  const becomesGet = status === 303 ? hop.method !== "GET" && hop.method !== "HEAD" : status <= 302 && hop.method === "POST";
  const own = isSameOrigin ? hop.own : withoutCredentials(hop.own);
  return {
    url,
    method: becomesGet ? "GET" : hop.method,
    own: becomesGet ? withoutContent(own) : own,
    body: becomesGet ? undefined : hop.body,
    allowSecrets: hop.allowSecrets && isSameOrigin,
    redirects: hop.redirects + 1,
  };
}

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

function parseLocation(location: string, base: URL, from: string): URL {
  if (!URL.canParse(location, base.href)) throw networkError(from, "BAD_REDIRECT");
  try {
    return parseTarget(new URL(location, base.href).href);
  } catch (error) {
    // The URL is the server's, so the script cannot mend it: not INVALID_REQUEST.
    throw error instanceof ToolError ? networkError(from, "BAD_REDIRECT") : error;
  }
}
