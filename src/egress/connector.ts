/**
 * The guard in the connector: after the name look-up every answer is judged, and the connection goes to the very list
 * that was judged, so an answer that changes between check and connect has no effect. The far end is checked again once
 * the connection stands. TLS certificates are always verified; neither proxies nor settings of the environment count.
 */
import { lookup as dnsLookup } from "node:dns/promises";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { buildConnector } from "undici";
import { isLoopbackHost } from "../core/host-pattern.ts";
import { type AddressClass, type AddressOrigin, canonicalAddress, classifyAddress } from "./address.ts";
import type { Reach } from "./target.ts";

/** All addresses of a name. Rejects with an error that has a `code`. Never asked for address literals and localhost. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** Where to open a connection: only the addresses count, the host name is for TLS. */
export interface DialTarget {
  readonly hostname: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Judged addresses in the order of the resolver; never empty. */
  readonly addresses: readonly string[];
}

/** An open connection and the address at its far end. */
interface Dialed {
  readonly socket: Socket;
  readonly remoteAddress: string | undefined;
}

/** Opens a connection. */
export type Dial = (target: DialTarget) => Promise<Dialed>;

/** An address that is beyond the reach of a connection. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
  readonly code = "ADDRESS_REFUSED";
  readonly addressClass: AddressClass;

  constructor(addressClass: AddressClass) {
    super("The address is not allowed.");
    this.addressClass = addressClass;
  }
}

/** Time to open a connection, TLS included, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A connector for undici that opens connections within `reach` only. */
export function createGuardedConnector(
  reach: Reach,
  { lookup, dial }: { readonly lookup: Lookup; readonly dial: Dial },
): buildConnector.connector {
  return (options, callback) => {
    const target = {
      hostname: options.hostname,
      port: Number(options.port) || (options.protocol === "https:" ? 443 : 80),
      isTls: options.protocol === "https:",
    };
    connectGuarded(target, reach, lookup, dial).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error("The connection failed."), null),
    );
  };
}

/** Throws `AddressRefused` unless every address lies within `reach`. */
export function judgeAddresses(addresses: readonly string[], origin: AddressOrigin, reach: Reach): void {
  for (const address of addresses) {
    const addressClass = classifyAddress(address, origin);
    if (!REACHED[reach].includes(addressClass)) throw new AddressRefused(addressClass);
  }
}

/** All addresses that the system's resolver knows for a name. */
export const systemLookup: Lookup = async (hostname) => {
  const answers = await dnsLookup(hostname, { all: true, order: "verbatim" });
  return answers.map((answer) => answer.address);
};

/** Opens connections for real. `ca`: PEM certificates to accept instead of the built-in ones. */
export function createDial({ ca }: { readonly ca?: string } = {}): Dial {
  return async ({ hostname, port, isTls, addresses }) => {
    // Only when it is needed: loading it takes a third of the start of a command.
    const { buildConnector } = await import("undici");
    const connect = buildConnector({
      // An answer over HTTP/2 would skip the limits of the HTTP/1 parser.
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MS,
      maxCachedSessions: 0,
      // Said aloud: without it NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would turn verification off.
      rejectUnauthorized: true,
      lookup: pinnedLookup(addresses),
      ...(ca !== undefined && { ca }),
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

const REACHED: { readonly [reach in Reach]: readonly AddressClass[] } = {
  public: ["public"],
  private: ["public", "private", "loopback"],
  loopback: ["loopback"],
};

async function connectGuarded(target: Omit<DialTarget, "addresses">, reach: Reach, lookup: Lookup, dial: Dial): Promise<Socket> {
  const addresses = await resolveTarget(target.hostname, lookup);
  judgeAddresses(addresses, isIP(target.hostname) === 0 ? "dns" : "literal", reach);
  const { socket, remoteAddress = "" } = await dial({ ...target, addresses });
  const far = canonicalAddress(remoteAddress);
  if (far === undefined || !addresses.some((address) => canonicalAddress(address) === far)) {
    socket.destroy();
    throw new AddressRefused("blocked");
  }
  return socket;
}

async function resolveTarget(hostname: string, lookup: Lookup): Promise<readonly string[]> {
  if (isIP(hostname) !== 0) return [hostname];
  // RFC 6761: these names are this machine, whatever a resolver says.
  if (isLoopbackHost(hostname)) return ["127.0.0.1", "::1"];
  const addresses = await lookup(hostname);
  if (addresses.length === 0) throw Object.assign(new Error("The name has no address."), { code: "ENOTFOUND" });
  return addresses;
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
