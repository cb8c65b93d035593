/**
 * One grammar and one matcher for hosts: what a tool may reach (`allowedHosts`) and where a secret may go (bindings).
 * Hosts are compared after URL parsing, in ASCII (punycode), lower case, without a trailing dot; never by text prefix.
 * Whatever is unclear does not match.
 */
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { getPublicSuffix } from "tldts";
import { ToolError } from "./errors.ts";
import { cutText, wellFormed } from "./text.ts";
import { isUnclearPath } from "./url-path.ts";

/** A parsed host rule; see {@link parseHostPattern}. */
export interface HostPattern {
  /** `allowed`: a line of `allowedHosts`; `binding`: where a secret may go, which may also name a scheme and a path. */
  readonly kind: "allowed" | "binding";
  /** Canonical host as `URL.hostname` gives it (IPv6 in brackets); of `*.host` the part behind the asterisk and dot. */
  readonly host: string;
  /** `*.host`: stands for exactly one label. */
  readonly isWildcard: boolean;
  readonly scheme: "http" | "https" | undefined;
  readonly port: number | undefined;
  /** Path that requests must lie in, without a slash at the end; `""` is any path. */
  readonly pathPrefix: string;
}

/**
 * Reads `host`, `*.host` or `[IPv6]`, each with an optional `:port`; a binding may add `http://` or `https://` in front and a path behind.
 * An address, and a name that is not public, must name its port. `http://` is accepted toward this machine only, with a port.
 * Throws `ToolError` INVALID_REQUEST that says what is wrong and how to write it.
 */
export function parseHostPattern(text: string, { kind }: { readonly kind: HostPattern["kind"] }): HostPattern {
  const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?(\[[^\]]*\]|[^/:?#@[\]\\]*)(?::([^/?#@]*))?(\/[^?#@]*)?$/u.exec(text);
  if (parts === null) throw refuse(text, "it is not a host", kind);
  const [, schemeText, hostText = "", portText, pathText] = parts;
  if (kind === "allowed" && schemeText !== undefined)
    throw refuse(text, 'a scheme does not belong here; leave out what stands before "//"', kind);
  if (kind === "allowed" && pathText !== undefined) throw refuse(text, "a path does not belong here", kind);
  const isWildcard = hostText.startsWith("*.");
  const host = parseHost(isWildcard ? hostText.slice(2) : hostText, text, kind);
  const scheme = parseScheme(schemeText, text, kind);
  const port = parsePort(portText, text, kind);
  const pattern: HostPattern = { kind, host, isWildcard, scheme, port, pathPrefix: parsePathPrefix(pathText, text, kind) };
  checkWhole(pattern, text);
  return pattern;
}

/**
 * True if a request to `url` is covered by the rule. Without a port a rule covers https on 443, and http on 80 for
 * requests without secrets. A secret goes over plain http only toward this machine, and of bindings only by one written with `http://`.
 */
export function matchesHost(pattern: HostPattern, url: URL, { carriesSecret }: { readonly carriesSecret: boolean }): boolean {
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  return (
    hostMatches(pattern, canonicalHost(url)) && schemeMatches(pattern, url, carriesSecret) && pathMatches(pattern.pathPrefix, url.pathname)
  );
}

/** The rule in its one canonical spelling; parsing that gives the same rule again. */
export function hostPatternText(pattern: HostPattern): string {
  const scheme = pattern.scheme === undefined ? "" : `${pattern.scheme}://`;
  const port = pattern.port === undefined ? "" : `:${pattern.port}`;
  return `${scheme}${pattern.isWildcard ? "*." : ""}${pattern.host}${port}${pattern.pathPrefix}`;
}

/** The URL's host in canonical form: lower case, punycode, without one trailing dot; IPv6 in brackets. */
export function canonicalHost(url: URL): string {
  const host = url.hostname;
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

/** Port of a http or https URL as a number, the scheme's default where none is written. */
export function effectivePort(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** `host:port` of a http or https URL in canonical form; the value that trust is recorded for. */
export function hostPortOf(url: URL): string {
  return `${canonicalHost(url)}:${effectivePort(url)}`;
}

/** Endings of names that exist only inside a network: RFC 6761, 6762, 7686, 8375, the ICANN reservation of .internal, and habit. */
const PRIVATE_ENDINGS = ["localhost", "local", "lan", "internal", "home.arpa", "test", "onion", "localdomain", "intranet", "corp", "home"];

/** True for a name that is not public: a single label, or one that ends like `.local`, `.lan`, `.internal`, `.home.arpa`. False for addresses. */
export function isPrivateName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/u, "");
  if (isAddressText(name)) return false;
  return !name.includes(".") || PRIVATE_ENDINGS.some((ending) => name.endsWith(`.${ending}`));
}

/** True for `localhost`, names below it (RFC 6761: always this machine), 127.0.0.0/8 and `[::1]`, in canonical form. */
export function isLoopbackHost(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost") || host === "[::1]") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}

function isAddressText(host: string): boolean {
  return host.startsWith("[") || isIP(host) !== 0;
}

function hostMatches(pattern: HostPattern, host: string): boolean {
  if (!pattern.isWildcard) return host === pattern.host;
  if (!host.endsWith(`.${pattern.host}`)) return false;
  const label = host.slice(0, -pattern.host.length - 1);
  // A suffix such as s3.REGION.amazonaws.com serves everybody's data, so a wildcard over its parent must not include it.
  return label !== "" && !label.includes(".") && !isPublicSuffix(host);
}

function schemeMatches(pattern: HostPattern, url: URL, carriesSecret: boolean): boolean {
  const isPlain = url.protocol === "http:";
  if (pattern.scheme !== undefined && url.protocol !== `${pattern.scheme}:`) return false;
  if (effectivePort(url) !== (pattern.port ?? (isPlain ? 80 : 443))) return false;
  if (!isPlain || !carriesSecret) return true;
  const isMeant = pattern.kind === "allowed" || pattern.scheme === "http";
  return isMeant && pattern.port !== undefined && isLoopbackHost(pattern.host);
}

function pathMatches(prefix: string, path: string): boolean {
  if (prefix === "") return true;
  if (isUnclearPath(path)) return false;
  return path === prefix || path.startsWith(`${prefix}/`);
}

function parseHost(hostText: string, text: string, kind: HostPattern["kind"]): string {
  if (hostText === "") throw refuse(text, "the host is missing", kind);
  if (hostText.startsWith("[")) {
    if (isIP(hostText.slice(1, -1)) !== 6 || hostText.includes("%"))
      throw refuse(text, "what stands in brackets is not an IPv6 address", kind);
    return new URL(`http://${hostText}/`).hostname;
  }
  if (hostText.includes("*")) throw refuse(text, 'an asterisk can only be the whole first label, as in "*.example.com"', kind);
  // domainToASCII drops tabs and line breaks without a word.
  if (/\p{Cc}|\s/u.test(hostText)) throw refuse(text, "it has blanks or control characters", kind);
  const written = hostText.endsWith(".") ? hostText.slice(0, -1) : hostText;
  const ascii = domainToASCII(written);
  if (isIP(ascii) === 4) {
    // "127.1" and "0x7f.1" are 127.0.0.1 to a URL: a person who reads the rule must see the address.
    if (written !== ascii) throw refuse(text, `an address is written as ${ascii}`, kind);
    return ascii;
  }
  const labels = ascii.split(".");
  const isName = ascii.length <= 253 && labels.every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/u.test(label));
  if (!isName) throw refuse(text, "the host is not a valid name", kind);
  return ascii;
}

function parseScheme(schemeText: string | undefined, text: string, kind: HostPattern["kind"]): HostPattern["scheme"] {
  const scheme = schemeText?.toLowerCase();
  if (scheme === undefined || scheme === "http" || scheme === "https") return scheme;
  throw refuse(text, "the scheme is neither https nor http", kind);
}

function parsePort(portText: string | undefined, text: string, kind: HostPattern["kind"]): number | undefined {
  if (portText === undefined) return undefined;
  const port = /^[1-9][0-9]{0,4}$/u.test(portText) ? Number(portText) : 0;
  if (port < 1 || port > 65_535) throw refuse(text, "the port is not a number from 1 to 65535", kind);
  return port;
}

function parsePathPrefix(pathText: string | undefined, text: string, kind: HostPattern["kind"]): string {
  if (pathText === undefined) return "";
  const prefix = pathText.replace(/\/\*$/u, "").replace(/\/$/u, "");
  if (prefix === "") return "";
  if (prefix.includes("*")) throw refuse(text, 'an asterisk in a path can only stand at its end, as in "/api/*"', kind);
  const path = new URL(`https://host.invalid${prefix}`).pathname;
  const hasDots = prefix.split("/").some((segment) => segment === "." || segment === "..");
  if (hasDots || isUnclearPath(path)) throw refuse(text, "the path has empty segments, dots or encoded slashes", kind);
  return path;
}

/** Rules about the parts together. */
function checkWhole({ kind, host, isWildcard, scheme, port }: HostPattern, text: string): void {
  const isAddress = isAddressText(host);
  if (isWildcard && (isAddress || isPrivateName(host))) throw refuse(text, "an asterisk stands only before public names", kind);
  if (isWildcard && isPublicSuffix(host)) {
    throw refuse(text, `anybody can have a name under ${host}; name the whole host`, kind);
  }
  if ((isAddress || isPrivateName(host)) && port === undefined) {
    throw refuse(text, `${isAddress ? "an address" : "a name that is not public"} needs its port, as in "${host}:8080"`, kind);
  }
  if (scheme === "http" && !isLoopbackHost(host)) {
    throw refuse(text, 'a secret goes over plain http only to this machine, as in "http://localhost:8080"', kind);
  }
}

/** True for `com`, `co.uk`, `github.io`: names under which strangers can have names. */
function isPublicSuffix(host: string): boolean {
  return getPublicSuffix(host, { allowPrivateDomains: true }) === host;
}

function refuse(text: string, reason: string, kind: HostPattern["kind"]): ToolError {
  // What stands before an "@" may be a password.
  const shown = text.includes("@") ? "" : ` ${JSON.stringify(cutText(wellFormed(text), 120))}`;
  const form =
    kind === "binding" ? '"api.example.com", "*.example.com", "https://host:8443/path"' : '"api.example.com", "*.example.com", "host:8443"';
  return new ToolError("INVALID_REQUEST", `Host${shown} is not accepted: ${reason}. Write it like ${form}.`);
}
