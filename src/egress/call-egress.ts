/**
 * The requests of one call. Each hop is judged anew, gets its headers, query parameters and token anew, and after a redirect
 * to another origin no secret goes along any more, also not back at the first. What comes back from a chain is masked before the
 * script sees it, error messages too, if any place of it was sent a secret in this call. Never follows a redirect by itself, and sends twice in one
 * case only: a request whose token was refused goes once more, with a new token.
 */
import type { HostRequest, ScriptRequest, ScriptResponse } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import { hostPortOf } from "../core/host-pattern.ts";
import { isJsonObject } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { Secret } from "../core/secret.ts";
import { AddressRefused } from "./connector.ts";
import { createGate } from "./gate.ts";
import { networkError, toNetworkError } from "./network-error.ts";
import type { Redactor } from "./redactor.ts";
import type { RedactorStore } from "./redactor-store.ts";
import { nextHop, redirectTarget } from "./redirect.ts";
import { type Added, mergeHeaders } from "./request-headers.ts";
import { mergeQuery } from "./request-query.ts";
import { toScriptResponse } from "./response.ts";
import { type Hop, parseScriptRequest } from "./script-request.ts";
import { createSentPlaces, type SentPlaces } from "./sent-places.ts";
import { type EgressPolicy, judgeTarget, refuseAddress } from "./target.ts";
import type { Answer, Transport } from "./transport.ts";

/** What the tool adds to one hop. */
export interface HopAdditions {
  readonly headers: Added;
  /** Query parameters. Default none. */
  readonly query?: Added;
  /** Goes along as `Authorization: Bearer`. Asked only once the hop is judged, since it may have to be fetched. */
  readonly token?: {
    /** Who is sent the client's secrets for it. */
    readonly issuer: URL;
    /** Throws `ToolError` AUTH_FAILED. */
    get(signal: AbortSignal): Promise<Secret>;
    /** Another one than the refused; undefined if there is none. Throws as `get`. */
    renew(refused: Secret, signal: AbortSignal): Promise<Secret | undefined>;
  };
}

/** What the tool adds to its requests, with its secrets; made for one call. */
export interface ToolAdditions {
  /** What to add to a hop. Throws SECRET_HOST if it would carry a secret where that is not bound. */
  prepare(
    url: URL,
    hop: { readonly allowSecrets: boolean; readonly method: string; readonly headerNames: readonly string[] },
  ): HopAdditions;
  /** All values that were given out so far in this call. */
  sent(): Iterable<Secret>;
}

/** What the requests of a call are made with. */
export interface CallEgressOptions {
  readonly callId: string;
  readonly policy: EgressPolicy;
  readonly toolHeaders: ToolAdditions;
  /** Lower-case names that a script must not set: those with `"replaceExisting": false`. Default none. */
  readonly exclusiveHeaders?: ReadonlySet<string>;
  /** Query parameters that must not stand in a script's URL. Default none. */
  readonly exclusiveQuery?: ReadonlySet<string>;
  readonly limits: Pick<Limits, "requestBodyBytes" | "responseBodyBytes" | "requestsPerCall" | "requestsAtOnce" | "redirects">;
  /** Milliseconds left of the call. */
  readonly remainingMs: () => number;
}

/** Figures of a call's requests, hops included. */
interface EgressFigures {
  readonly requests: number;
  /** `host:port` of the last one. */
  readonly lastHost?: string;
  /** When it began, in milliseconds since 1970. */
  readonly lastAtMs?: number;
}

/** The requests of one call. */
export interface CallEgress {
  readonly request: HostRequest;
  /** Masks what this call has sent so far. */
  redactor(): Redactor;
  figures(): EgressFigures;
}

/** See {@link CallEgress}. */
export function createCallEgress(
  options: CallEgressOptions,
  { transport, log, redactors }: { readonly transport: Transport; readonly log: Log; readonly redactors: RedactorStore },
): CallEgress {
  const gate = createGate(options.limits.requestsAtOnce);
  const redactorOf = (): Redactor => redactors.of([...options.toolHeaders.sent()].map((secret) => secret.reveal()));
  let figures: EgressFigures = { requests: 0 };
  const count = (host: string): void => {
    if (figures.requests >= options.limits.requestsPerCall) throw tooManyRequests(options);
    figures = { requests: figures.requests + 1, lastHost: host, lastAtMs: Date.now() };
  };
  const chain: Chain = { options, transport, log, count, redactorOf, sentTo: createSentPlaces(transport.addressesOf) };
  return {
    async request(request, signal) {
      const hop = parseScriptRequest(request, { maxBodyBytes: options.limits.requestBodyBytes });
      // Refused requests count too, so that a script cannot try hosts for ever.
      count(hostPortOf(hop.url));
      const leave = await gate.enter(signal).catch((error: unknown) => {
        throw callEnded(error);
      });
      try {
        return await sendChain(chain, hop, request, signal);
      } finally {
        leave();
      }
    },
    redactor: redactorOf,
    figures: () => figures,
  };
}

interface Chain {
  readonly options: CallEgressOptions;
  readonly transport: Transport;
  readonly log: Log;
  readonly count: (host: string) => void;
  readonly redactorOf: () => Redactor;
  readonly sentTo: SentPlaces;
}

/** What the hops of one chain have in common. */
interface Trail {
  /** Where they went, in their order. */
  readonly visited: URL[];
  /** Whether a hop was sent again with a new token. */
  wasRepeated: boolean;
}

/** What one hop came to. */
interface Sent {
  readonly answer: Answer;
  /** The hop with the URL that is shown, in which nothing stands that the tool added. */
  readonly hop: Hop;
}

async function sendChain(chain: Chain, first: Hop, request: ScriptRequest, signal: AbortSignal): Promise<ScriptResponse> {
  const trail: Trail = { visited: [], wasRepeated: false };
  const timeoutMs = Math.max(1, Math.min(request.timeoutMs ?? Number.POSITIVE_INFINITY, chain.options.remainingMs()));
  const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
  // Aborted at the end in any case: an answer that was not read to its end would keep its connection.
  const ended = new AbortController();
  const any = AbortSignal.any([signal, timeout, ended.signal]);
  let hop = first;
  try {
    while (true) {
      const { answer, hop: shown } = await sendHop(chain, hop, trail, any);
      hop = shown;
      const location = redirectTarget(answer, request.redirect, hostPortOf(hop.url));
      if (location === undefined) return await finish(chain, hop, answer, trail);
      await answer.discard();
      hop = nextHop(hop, answer.status, location, {
        maxRedirects: chain.options.limits.redirects,
        masked: masksOf(chain, trail),
      });
      chain.count(hostPortOf(hop.url));
    }
  } catch (error) {
    throw redactError(translate(error, hop, chain.options.policy, signal, timeout), trail, chain);
  } finally {
    ended.abort();
  }
}

async function sendHop(chain: Chain, hop: Hop, trail: Trail, signal: AbortSignal): Promise<Sent> {
  const { policy, toolHeaders, exclusiveHeaders = new Set<string>(), exclusiveQuery = new Set<string>() } = chain.options;
  const { allowSecrets, method } = hop;
  const added = toolHeaders.prepare(hop.url, { allowSecrets, method, headerNames: [...hop.own.keys()] });
  const { values, secrets } = mergeHeaders(hop.own, added.headers, exclusiveHeaders);
  const urls = mergeQuery(hop.url, added.query ?? new Map(), exclusiveQuery);
  const { token } = added;
  const carriesSecret = secrets.length > 0 || urls.secrets.length > 0 || token !== undefined;
  if (carriesSecret && !hop.allowSecrets) {
    throw new ToolError("SECRET_HOST", `A secret would follow a redirect to ${hostPortOf(hop.url)}. Nothing was sent there.`);
  }
  const reach = judgeTarget(hop.url, policy, { carriesSecret });
  // Whatever is thrown from here on may come from a server that was sent a secret.
  trail.visited.push(hop.url);
  if (carriesSecret) chain.sentTo.add(hop.url);
  if (token !== undefined) chain.sentTo.add(token.issuer);
  const shown: Hop = { ...hop, url: urls.shown };
  const send = (bearer: Secret | undefined): Promise<Answer> => {
    const headers = bearer === undefined ? values : new Map([...values, ["authorization", `Bearer ${bearer.reveal()}`]]);
    return timed(chain, shown, () => chain.transport.send({ url: urls.sent, method: hop.method, headers, body: hop.body, reach, signal }));
  };
  const bearer = await token?.get(signal);
  const answer = await send(bearer);
  if (answer.status !== 401 || token === undefined || bearer === undefined || trail.wasRepeated) return { answer, hop: shown };
  trail.wasRepeated = true;
  const renewed = await token.renew(bearer, signal);
  if (renewed === undefined) return { answer, hop: shown };
  await answer.discard();
  chain.count(hostPortOf(hop.url));
  return { answer: await send(renewed), hop: shown };
}

/** Writes a line for the answer. */
async function timed({ options, log }: Chain, { url, method }: Hop, send: () => Promise<Answer>): Promise<Answer> {
  const startedAt = performance.now();
  const answer = await send();
  log.debug("egress.answer", {
    callId: options.callId,
    tool: options.policy.toolName,
    host: hostPortOf(url),
    method,
    status: answer.status,
    durationMs: Math.round(performance.now() - startedAt),
  });
  return answer;
}

async function finish(chain: Chain, hop: Hop, answer: Answer, trail: Trail): Promise<ScriptResponse> {
  return toScriptResponse(answer, {
    url: hop.url,
    redirected: hop.redirects > 0,
    maxBytes: chain.options.limits.responseBodyBytes,
    redactor: () => masksOf(chain, trail),
  });
}

/** What masks the texts of a chain; undefined if no place of it was sent a secret. To be asked late: others of the call go on meanwhile. */
function masksOf(chain: Chain, { visited }: Trail): Redactor | undefined {
  return chain.sentTo.includesAny(visited) ? chain.redactorOf() : undefined;
}

/** Whatever was thrown as a ToolError: ours as it is, the rest without its text. */
function translate(error: unknown, hop: Hop, policy: EgressPolicy, signal: AbortSignal, timeout: AbortSignal): ToolError {
  if (error instanceof ToolError) return error;
  if (signal.aborted) return callEnded(signal.reason);
  if (timeout.aborted) return networkError(hostPortOf(hop.url), "TIMEOUT");
  if (error instanceof AddressRefused) return refuseAddress(hop.url, policy, error.addressClass);
  return toNetworkError(error, hostPortOf(hop.url));
}

/** A host name or address in a message can come from a server that was given the secret. */
function redactError(error: ToolError, trail: Trail, chain: Chain): ToolError {
  const redactor = masksOf(chain, trail);
  if (redactor === undefined) return error;
  const data = redactor.redactJson(error.data);
  return new ToolError(error.code, redactor.redactText(error.message), { data: isJsonObject(data) ? data : {}, audience: error.audience });
}

function callEnded(reason: unknown): ToolError {
  if (reason instanceof ToolError) return reason;
  return new ToolError("CANCELLED", "The request was broken off, because its call has ended.");
}

function tooManyRequests({ policy, limits }: CallEgressOptions): ToolError {
  return new ToolError(
    "TOO_MANY_REQUESTS",
    `Tool "${policy.toolName}" made ${limits.requestsPerCall} requests in this call, redirects included, which is its limit ("requestsPerCall" in "limits"). Ask for more at once, or split the work over several calls.`,
    { data: { limit: "requestsPerCall", value: limits.requestsPerCall } },
  );
}
