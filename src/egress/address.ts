/**
 * Judges an IP address: may a request of a script go there? Only what is known to be public is public; everything that
 * is not understood is blocked. Metadata services and wire servers of clouds are never reachable, also not with trust.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * `public` any tool may reach it · `private`, `loopback` only with trust · `metadata` gives out credentials of the
 * machine, never · `blocked` no address of one host, or one that hides another address, never.
 */
export type AddressClass = "public" | "private" | "loopback" | "metadata" | "blocked";

/** Where an address was found: written in the URL, or in an answer of DNS. */
export type AddressOrigin = "literal" | "dns";

type ParsedAddress = ReturnType<typeof ipaddr.parse>;

/** One rule; the first that gives a class decides. */
export interface AddressRule {
  readonly name: string;
  readonly judge: (
    address: ParsedAddress,
    origin: AddressOrigin,
    judgeInner: (address: ParsedAddress) => AddressClass,
  ) => AddressClass | undefined;
}

/** Class of an address in text form, IPv6 without brackets. `rules` is for tests that take one away. */
export function classifyAddress(text: string, origin: AddressOrigin, rules: readonly AddressRule[] = addressRules()): AddressClass {
  const canonical = canonicalAddress(text);
  if (canonical === undefined) return "blocked";
  const judge = (address: ParsedAddress): AddressClass => {
    for (const rule of rules) {
      const found = rule.judge(address, origin, judge);
      if (found !== undefined) return found;
    }
    return "blocked";
  };
  return judge(ipaddr.parse(canonical));
}

/** One spelling per address: IPv6 compressed as in URLs, IPv4-mapped IPv6 as IPv4. Undefined for other text and for zone ids. */
export function canonicalAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version !== 6 || text.includes("%")) return undefined;
  // The URL parser first: ipaddr.js reads "::127.0.0.1" as if it were "::ffff:127.0.0.1".
  const address = ipaddr.IPv6.parse(new URL(`http://[${text}]/`).hostname.slice(1, -1));
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toString();
}

/** The rules in their order. `own`: addresses of this machine, in the form of {@link canonicalAddress}. */
export function addressRules(own: ReadonlySet<string> = new Set()): readonly AddressRule[] {
  return [
    { name: "metadata-list", judge: (address) => (isListed(address, METADATA_NETWORKS) ? "metadata" : undefined) },
    { name: "nat64", judge: judgeNat64 },
    { name: "loopback", judge: (address) => (address.range() === "loopback" ? "loopback" : undefined) },
    { name: "private", judge: (address) => (PRIVATE_RANGES.includes(address.range()) ? "private" : undefined) },
    // A service that listens on a public address of this machine is often kept from the others by a firewall only.
    { name: "own", judge: (address) => (own.has(address.toString()) ? "private" : undefined) },
    { name: "global-ipv6", judge: (address) => (address.kind() === "ipv6" && !isListed(address, ["2000::/3"]) ? "blocked" : undefined) },
    { name: "isatap", judge: (address) => (isIsatap(address) ? "blocked" : undefined) },
    { name: "range", judge: (address) => (address.range() === "unicast" ? "public" : undefined) },
  ];
}

/**
 * Networks of metadata services, credential endpoints and wire servers. All of 169.254.0.0/16 counts: AWS, GCP, Azure,
 * DigitalOcean, OpenStack, Oracle and Tencent use different addresses in it. ipaddr.js calls 168.63.129.16 public.
 */
const METADATA_NETWORKS = [
  "169.254.0.0/16",
  "168.63.129.16/32", // Azure wire server
  "192.0.0.192/32", // Oracle Cloud classic
  "100.100.100.200/32", // Alibaba Cloud
  "fd00:ec2::/32", // AWS: metadata, time, DNS and pod identity over IPv6
  "fd20:ce::/32", // Google Cloud over IPv6
  "fd00:42::42/128", // Scaleway
  "fe80::a9fe:a9fe/128", // OpenStack
];

const PRIVATE_RANGES: readonly string[] = ["private", "carrierGradeNat", "uniqueLocal"];

function isListed(address: ParsedAddress, networks: readonly string[]): boolean {
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === address.kind() && address.match(base, bits);
  });
}

/** 64:ff9b::/96 (RFC 6052): the resolver of an IPv6-only network makes such answers for public hosts; nobody writes one in a URL. */
function judgeNat64(
  address: ParsedAddress,
  origin: AddressOrigin,
  judgeInner: (address: ParsedAddress) => AddressClass,
): AddressClass | undefined {
  if (!(address instanceof ipaddr.IPv6) || !isListed(address, ["64:ff9b::/96"])) return undefined;
  const inner = judgeInner(new ipaddr.IPv4(address.toByteArray().slice(12)));
  if (inner === "metadata") return "metadata";
  return inner === "public" && origin === "dns" ? "public" : "blocked";
}

/** Interface ids that hold an IPv4 address (RFC 5214): what is reached is that address. */
function isIsatap(address: ParsedAddress): boolean {
  if (!(address instanceof ipaddr.IPv6)) return false;
  return (address.parts[4] === 0 || address.parts[4] === 0x200) && address.parts[5] === 0x5efe;
}
