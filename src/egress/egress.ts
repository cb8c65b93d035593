/**
 * The way out for requests of scripts, and the only one. It promises: nothing is sent before the host is judged; names
 * are judged by every address they lead to, at the moment of connecting; secrets go where the tool's headers say and
 * never along a redirect to another origin; no answer, error or log line gives a secret back.
 */
import type { Log } from "../core/log.ts";
import { type CallEgress, type CallEgressOptions, createCallEgress } from "./call-egress.ts";
import { createDial, type Dial, type Lookup, systemLookup } from "./connector.ts";
import { createTransport } from "./transport.ts";

/** What an egress is made with. `lookup` and `dial` are replaced by tests that stand in for other people's servers. */
export interface EgressOptions {
  readonly log: Log;
  readonly lookup?: Lookup;
  readonly dial?: Dial;
}

/** Owns the connections of all calls. */
export interface Egress {
  /** The requests of one call. */
  forCall(options: CallEgressOptions): CallEgress;
  /** Ends every connection; requests under way fail with NETWORK_ERROR. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** See {@link Egress}. Opens nothing by itself. */
export function createEgress({ log, lookup = systemLookup, dial = createDial() }: EgressOptions): Egress {
  const transport = createTransport({ lookup, dial });
  return {
    forCall: (options) => createCallEgress(options, { transport, log }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
