/**
 * Which places a call has sent a secret to, and so whose answers are masked: a server may give back the key of one request in
 * the answer to the next, which carries none. A place is a `host:port` and every address that it was connected to: the same server
 * answers under other names. Other places are not masked: there a script could try guesses, and see which one is masked.
 */
import { hostPortOf } from "../core/host-pattern.ts";

/** The places of one call. */
export interface SentPlaces {
  /** Says that a secret is about to be sent there. */
  add(url: URL): void;
  /** True if a secret was sent to the place of any of these. */
  includesAny(urls: Iterable<URL>): boolean;
}

/** No places. `addressesOf`: where a `host:port` was connected to; asked late, since a connection may still be on its way. */
export function createSentPlaces(addressesOf: (hostPort: string) => Iterable<string>): SentPlaces {
  const sent = new Set<string>();
  return {
    add: (url) => sent.add(hostPortOf(url)),
    includesAny(urls) {
      const asked = new Set(Array.from(urls, hostPortOf));
      if ([...asked].some((place) => sent.has(place))) return true;
      const addresses = new Set([...sent].flatMap((place) => [...addressesOf(place)]));
      return [...asked].some((place) => [...addressesOf(place)].some((address) => addresses.has(address)));
    },
  };
}

/** Remembers what every `host:port` was connected to. */
export interface AddressBook {
  add(hostPort: string, address: string): void;
  of(hostPort: string): Iterable<string>;
}

/** Hosts remembered, those that were connected to last; a call makes far fewer requests. */
const MAX_HOSTS = 4_096;

/** Addresses remembered of a host. */
const MAX_ADDRESSES = 16;

/** An empty book. */
export function createAddressBook(): AddressBook {
  const book = new Map<string, readonly string[]>();
  return {
    add(hostPort, address) {
      const known = book.get(hostPort) ?? [];
      book.delete(hostPort);
      book.set(hostPort, [address, ...known.filter((other) => other !== address)].slice(0, MAX_ADDRESSES));
      for (const oldest of book.keys()) {
        if (book.size <= MAX_HOSTS) break;
        book.delete(oldest);
      }
    },
    of: (hostPort) => book.get(hostPort) ?? [],
  };
}
