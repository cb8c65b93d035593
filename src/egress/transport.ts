/**
 * Sends one hop with undici, on agents of our own: one per reach, so that a connection that was opened because a person
 * trusts a host is never used for a request without that trust. Proxies and settings of the environment play no part.
 */
import { isIP } from "node:net";
import type { Agent, request } from "undici";
import { hostPortOf } from "../core/host-pattern.ts";
import { type Connected, createGuardedConnector, type Network } from "./connector.ts";
import { createAddressBook } from "./sent-places.ts";
import type { Reach } from "./target.ts";

/** One hop, judged and complete. */
interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer | undefined;
  readonly reach: Reach;
  readonly signal: AbortSignal;
}

/** The answer to one hop; its body must be read to the end or discarded. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  /** Lower-case names; one value per line of the answer. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** False for answers that have none by definition, whatever their headers say: to HEAD, and 204 and 304. */
  readonly hasBody: boolean;
  readonly body: AsyncIterable<Uint8Array>;
  /** Drops the body; a long one with its connection. */
  discard(): Promise<void>;
}

/** Owns the connections. */
export interface Transport {
  send(outgoing: Outgoing): Promise<Answer>;
  /** Addresses, with the port, that connections to a `host:port` went to; the last ones. */
  addressesOf(hostPort: string): Iterable<string>;
  /** Ends every connection at once; requests under way fail. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Largest headers of an answer, in bytes; the parser counts names and values only. */
const MAX_HEADER_BYTES = 32_768;

/** Header lines of an answer: within the bytes alone there could be 32,768 of one letter. */
const MAX_HEADERS = 1_000;

/** Bytes of a dropped body that are read so that the connection can be used again. */
const MAX_DISCARDED_BYTES = 16_384;

/** See {@link Transport}. */
export function createTransport(network: Network): Transport {
  let connections: Promise<Connections> | undefined;
  let isEnded = false;
  const book = createAddressBook();
  return {
    addressesOf: book.of,
    async send({ url, method, headers, body, reach, signal }) {
      if (isEnded) throw new Error("The connections were ended.");
      connections ??= openConnections(network, (hostname, port, address) => {
        const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
        book.add(hostPortOf(new URL(`http://${host}:${port}`)), `${address} ${port}`);
      });
      const { agents, send } = await connections;
      const answer = await send(url, {
        dispatcher: agents[reach],
        method,
        headers: [...headers].flat(),
        body: body ?? null,
        signal,
      });
      const received = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), [value ?? []].flat()] as const);
      if (received.reduce((sum, [, values]) => sum + values.length, 0) > MAX_HEADERS) {
        await answer.body.dump({ limit: MAX_DISCARDED_BYTES, signal });
        throw Object.assign(new Error("The answer has too many headers."), { code: "TOO_MANY_HEADERS" });
      }
      return {
        status: answer.statusCode,
        statusText: answer.statusText,
        headers: new Map(received),
        hasBody: method !== "HEAD" && answer.statusCode !== 204 && answer.statusCode !== 304,
        // Trailers are not asked for: they would come after the search for secrets in the headers.
        body: answer.body,
        discard: () => answer.body.dump({ limit: MAX_DISCARDED_BYTES, signal }),
      };
    },
    async [Symbol.asyncDispose]() {
      isEnded = true;
      const { agents } = (await connections) ?? {};
      await Promise.all(Object.values(agents ?? {}).map((agent) => agent.destroy()));
    },
  };
}

interface Connections {
  readonly agents: { readonly [reach in Reach]: Agent };
  readonly send: typeof request;
}

/** Only when it is needed: loading undici takes a third of the start of a command. */
async function openConnections(network: Network, connected: Connected): Promise<Connections> {
  const undici = await import("undici");
  const open = (reach: Reach): Agent =>
    new undici.Agent({
      connect: createGuardedConnector(reach, network, connected),
      maxHeaderSize: MAX_HEADER_BYTES,
      // Every request has one deadline for all of it, as its signal.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  return { agents: { public: open("public"), private: open("private"), loopback: open("loopback") }, send: undici.request };
}
