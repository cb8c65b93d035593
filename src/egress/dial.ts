/**
 * Opens connections to addresses that were judged, and to no other: nothing is resolved here. What secures TLS is said
 * aloud, so that no variable and no flag of Node (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0, --tls-cipher-list) and no
 * file that OPENSSL_CONF names weakens it.
 */
import { constants } from "node:crypto";
import { isIP, type Socket } from "node:net";
import type { Dial } from "./connector.ts";
import { connectionError, firstConnection } from "./first-connection.ts";

/** Time to open a connection, all addresses and TLS included, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Node's own list, and OpenSSL's own level: under a lower one, which a file of OPENSSL_CONF can set, keys of 1,024 bits would do. */
const CIPHERS = `${constants.defaultCoreCipherList}:@SECLEVEL=2`;

/** How TLS is made; `ca`: PEM certificates to accept instead of the built-in ones. */
export function tlsOptions(ca?: string) {
  return {
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ciphers: CIPHERS,
    ...(ca !== undefined && { ca }),
  } as const;
}

/** Opens connections for real. */
export function createDial({ ca }: { readonly ca?: string } = {}): Dial {
  return async ({ hostname, port, isTls, addresses }) => {
    const endsAt = performance.now() + CONNECT_TIMEOUT_MS;
    const socket = await firstConnection(addresses, port, CONNECT_TIMEOUT_MS);
    const { remoteAddress } = socket;
    if (!isTls) return { socket, remoteAddress };
    return { socket: await secureSocket(socket, { hostname, endsAt, timeoutCode: "CONNECT_TIMEOUT", ca }), remoteAddress };
  };
}

/** How TLS is made over a connection that stands. */
export interface Securing {
  /** The name, or address, that the certificate has to be for. */
  readonly hostname: string;
  /** As `performance.now()`. */
  readonly endsAt: number;
  /** Code of the error when the time is over. */
  readonly timeoutCode: string;
  readonly ca: string | undefined;
}

/** TLS over an open connection, which is gone where that fails. The name is for the certificate only: nothing is looked up or dialed. */
export async function secureSocket(socket: Socket, { hostname, endsAt, timeoutCode, ca }: Securing): Promise<Socket> {
  const { checkServerIdentity, connect } = await import("node:tls");
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const secured = connect({
    socket,
    ...tlsOptions(ca),
    // An answer over HTTP/2 would skip the limits of the HTTP/1 parser.
    ALPNProtocols: ["http/1.1"],
    ...(isIP(hostname) === 0 && { servername: hostname }),
    checkServerIdentity: (_name, certificate) => checkServerIdentity(hostname, certificate),
  });
  const timer = setTimeout(() => secured.destroy(connectionError(timeoutCode)), Math.max(0, endsAt - performance.now()));
  secured.once("secureConnect", () => resolve(secured));
  // Stays when the connection stands: until its user listens, an error would end the process.
  secured.on("error", reject);
  // Whoever ends a tunnel says nothing by itself.
  secured.once("close", () => reject(connectionError("ECONNRESET")));
  return promise.finally(() => clearTimeout(timer));
}
