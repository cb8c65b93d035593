/**
 * The way out for requests of scripts, and the only one. It promises: nothing is sent before the host is judged; names
 * are judged by every address they lead to, at the moment of connecting; secrets go where the tool's headers say and
 * never along a redirect to another origin; no answer, error or log line gives a secret back.
 */
import type { Log } from "../core/log.ts";
import { type CallEgress, type CallEgressOptions, createCallEgress } from "./call-egress.ts";
import { type Dial, interfaceAddresses, type Lookup, systemLookup } from "./connector.ts";
import { createDial } from "./dial.ts";
import { type IssuedToken, requestToken, type TokenRequest } from "./oauth-request.ts";
import { createProxyDial } from "./proxy-dial.ts";
import { createRedactorStore } from "./redactor-store.ts";
import { createTransport } from "./transport.ts";

/** What an egress is made with. `lookup`, `dial` and `ownAddresses` are replaced by tests that stand in for other people's servers. */
export interface EgressOptions {
  readonly log: Log;
  /** A proxy for public hosts, as of settings.json; see `createProxyDial`. Default none: variables of the environment name none. */
  readonly proxy?: URL;
  readonly lookup?: Lookup;
  readonly dial?: Dial;
  readonly ownAddresses?: () => readonly string[];
}

/** Owns the connections of all calls. */
export interface Egress {
  /** The requests of one call. */
  forCall(options: CallEgressOptions): CallEgress;
  /** Asks an issuer for a token; see `requestToken`. */
  requestToken(request: TokenRequest, signal: AbortSignal): Promise<IssuedToken>;
  /** Ends every connection; requests under way fail with NETWORK_ERROR. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** See {@link Egress}. Opens nothing by itself. */
export function createEgress(options: EgressOptions): Egress {
  const { log, proxy, lookup = systemLookup, ownAddresses = interfaceAddresses } = options;
  const { dial = proxy === undefined ? createDial() : createProxyDial(proxy, { direct: createDial() }) } = options;
  const transport = createTransport({ lookup, dial, ownAddresses });
  const shared = { transport, log, redactors: createRedactorStore() };
  return {
    forCall: (options) => createCallEgress(options, shared),
    requestToken: (request, signal) => requestToken(request, { transport, signal }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
