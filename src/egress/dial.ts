/**
 * Opens connections to addresses that were judged, and to no other: nothing is resolved here. What secures TLS is said
 * aloud, so that no variable and no flag of Node (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0, --tls-cipher-list) and no
 * file that OPENSSL_CONF names weakens it.
 */
import { constants } from "node:crypto";
import { isIP, type LookupFunction } from "node:net";
import type { Dial } from "./connector.ts";

/** Time to open a connection, TLS included, in milliseconds. */
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
    // Only when it is needed: loading it takes a third of the start of a command.
    const { buildConnector } = await import("undici");
    const connect = buildConnector({
      // An answer over HTTP/2 would skip the limits of the HTTP/1 parser.
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MS,
      maxCachedSessions: 0,
      ...tlsOptions(ca),
      lookup: pinnedLookup(addresses),
    });
    const options = {
      hostname,
      host: hostname,
      protocol: isTls ? "https:" : "http:",
      port: String(port),
      ...(isTls && isIP(hostname) === 0 && { servername: hostname }),
    };
    return new Promise((resolve, reject) => {
      connect(options, (error, socket) => {
        if (error !== null) reject(error);
        else resolve({ socket, remoteAddress: socket.remoteAddress });
      });
    });
  };
}

/** Gives the judged list to whoever asks; nothing is resolved a second time. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const first = answers[0];
    if (options.all === true) callback(null, answers);
    else if (first !== undefined) callback(null, first.address, first.family);
    else callback(Object.assign(new Error("The name has no address."), { code: "ENOTFOUND" }), "");
  };
}
