/**
 * The guard in the connector: after the name look-up every answer is judged, and the connection goes to the very list
 * that was judged, so an answer that changes between check and connect has no effect. The far end is checked again once
 * the connection stands. TLS certificates are always verified; neither proxies nor settings of the environment count.
 */
import { lookup as dnsLookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { buildConnector } from "undici";
import { isLoopbackHost } from "../core/host-pattern.ts";
import { type AddressClass, type AddressOrigin, addressRules, canonicalAddress, classifyAddress } from "./address.ts";
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
export interface Dialed {
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

/** What connections are opened with. */
export interface Network {
  readonly lookup: Lookup;
  readonly dial: Dial;
  /** The addresses of this machine; asked for every connection, since they change. */
  readonly ownAddresses: () => readonly string[];
}

/** Told of each connection: the host it is for, and the address and port at its far end, in one spelling. */
export type Connected = (hostname: string, port: number, address: string) => void;

/** A connector for undici that opens connections within `reach` only. */
export function createGuardedConnector(reach: Reach, network: Network, connected?: Connected): buildConnector.connector {
  return (options, callback) => {
    const target = {
      hostname: options.hostname,
      port: Number(options.port) || (options.protocol === "https:" ? 443 : 80),
      isTls: options.protocol === "https:",
    };
    connectGuarded(target, reach, network, connected).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error("The connection failed."), null),
    );
  };
}

/** Throws `AddressRefused` unless every address lies within `reach`. `own`: addresses of this machine, which are not public to it. */
export function judgeAddresses(addresses: readonly string[], origin: AddressOrigin, reach: Reach, own: readonly string[] = []): void {
  const rules = addressRules(new Set(own.map(canonicalAddress).filter((address) => address !== undefined)));
  for (const address of addresses) {
    const addressClass = classifyAddress(address, origin, rules);
    if (!REACHED[reach].includes(addressClass)) throw new AddressRefused(addressClass);
  }
}

/** All addresses that the system's resolver knows for a name. */
export const systemLookup: Lookup = async (hostname) => {
  const answers = await dnsLookup(hostname, { all: true, order: "verbatim" });
  return answers.map((answer) => answer.address);
};

/** All addresses of the network interfaces of this machine. */
export function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}

const REACHED: { readonly [reach in Reach]: readonly AddressClass[] } = {
  public: ["public"],
  private: ["public", "private", "loopback"],
  loopback: ["loopback"],
};

async function connectGuarded(
  target: Omit<DialTarget, "addresses">,
  reach: Reach,
  network: Network,
  connected: Connected | undefined,
): Promise<Socket> {
  const { lookup, dial, ownAddresses } = network;
  const addresses = await resolveTarget(target.hostname, lookup);
  judgeAddresses(addresses, isIP(target.hostname) === 0 ? "dns" : "literal", reach, ownAddresses());
  const { socket, remoteAddress = "" } = await dial({ ...target, addresses });
  const far = canonicalAddress(remoteAddress);
  if (far === undefined || !addresses.some((address) => canonicalAddress(address) === far)) {
    socket.destroy();
    throw new AddressRefused("blocked");
  }
  connected?.(target.hostname, target.port, far);
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
