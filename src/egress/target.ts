/**
 * Judges where a request wants to go, before any name is looked up: the form of the URL, what the tool may reach, and
 * what needs a person's trust. What the name then resolves to is judged in the connector; every hop comes here again.
 */
import { ToolError } from "../core/errors.ts";
import {
  canonicalHost,
  effectivePort,
  type HostPattern,
  hostPatternText,
  hostPortOf,
  isLoopbackHost,
  isPrivateName,
  matchesHost,
} from "../core/host-pattern.ts";
import { type AddressClass, classifyAddress } from "./address.ts";

/** What a tool may reach. */
export interface EgressPolicy {
  readonly toolName: string;
  /** Hosts the tool may reach. Absent: any public host on 443 with https or 80 with http. Empty: none. */
  readonly allowedHosts?: readonly HostPattern[];
  /** Where `allowedHosts` comes from, for messages: the tool's own list (default), or the hosts its secrets are bound to. */
  readonly allowedBy?: "allowedHosts" | "secrets";
  /** True if a person trusted this private or loopback `host:port` for this tool (form of `hostPortOf`). */
  readonly trusted: (hostPort: string) => boolean;
}

/** Addresses a connection may lead to: public ones only; also private ones, since the exact host and port is trusted; this machine only. */
export type Reach = "public" | "private" | "loopback";

/** One check of a URL's form; gives the reason for a refusal. */
export interface TargetCheck {
  readonly name: string;
  readonly refuse: (text: string, url: URL) => string | undefined;
}

/** Reads a script's or a redirect's URL. Throws INVALID_REQUEST, without the URL in the message. `checks` is for tests that take one away. */
export function parseTarget(text: string, checks: readonly TargetCheck[] = targetChecks()): URL {
  if (!URL.canParse(text))
    throw new ToolError("INVALID_REQUEST", 'The URL of the request is not valid. Write it in full, as in "https://api.example.com/path".');
  const url = new URL(text);
  for (const check of checks) {
    const reason = check.refuse(text, url);
    if (reason !== undefined) throw new ToolError("INVALID_REQUEST", `The URL of the request is not accepted: ${reason}.`);
  }
  // One spelling from here on: "example.com." is "example.com" to DNS, but not to TLS, cookies or a list of hosts.
  url.hostname = canonicalHost(url);
  url.hash = "";
  return url;
}

/** The checks of a URL's form, in their order. */
export function targetChecks(): readonly TargetCheck[] {
  return [
    { name: "control", refuse: (text) => (/\p{Cc}|^\s|\s$/u.test(text) ? "it has control characters, or blanks at an end" : undefined) },
    { name: "scheme", refuse: (_text, url) => (/^https?:$/u.test(url.protocol) ? undefined : "only https and http can be requested") },
    {
      name: "userinfo",
      refuse: (text, url) => (hasUserinfo(text, url) ? "it has a user name or password; send a header instead" : undefined),
    },
    { name: "host", refuse: (_text, url) => (isHost(canonicalHost(url)) ? undefined : "its host is not a valid name or address") },
    { name: "port", refuse: (_text, url) => (url.port === "0" ? "its port is 0" : undefined) },
  ];
}

/**
 * What a connection for this request may lead to. Throws HOST_NOT_ALLOWED with what to add where, NOT_TRUSTED for a
 * private host that is allowed but not trusted, and SECRET_HOST for a secret over plain http to another machine.
 */
export function judgeTarget(url: URL, policy: EgressPolicy, { carriesSecret }: { readonly carriesSecret: boolean }): Reach {
  const host = canonicalHost(url);
  const addressClass = literalClass(host);
  if (METADATA_NAMES.has(host) || addressClass === "metadata" || addressClass === "blocked") throw neverReachable(url, policy);
  const isExact = allowsExactly(policy, url, carriesSecret);
  const isTrusted = isExact && policy.trusted(hostPortOf(url));
  if (addressClass === "private" || addressClass === "loopback" || isPrivateName(host)) {
    if (!isExact) throw privateNotAllowed(url, policy);
    if (!isTrusted) throw notTrusted(url, policy);
  } else if (!isPublicAllowed(policy, url, carriesSecret)) {
    throw notAllowed(url, policy);
  }
  if (isLoopbackHost(host)) return "loopback";
  if (carriesSecret && url.protocol === "http:") {
    throw new ToolError(
      "SECRET_HOST",
      `Tool "${policy.toolName}" would carry a secret to ${hostPortOf(url)} over plain http. Nothing was sent. Use https.`,
    );
  }
  return isTrusted ? "private" : "public";
}

/** The error for a name that led to an address beyond the reach it was given. Says what kind of address, never which. */
export function refuseAddress(url: URL, policy: EgressPolicy, addressClass: AddressClass): ToolError {
  if (addressClass === "metadata" || addressClass === "blocked" || addressClass === "public") return neverReachable(url, policy);
  return allowsExactly(policy, url, false) ? notTrusted(url, policy) : privateNotAllowed(url, policy);
}

/** True for a rule of `allowedHosts` that takes effect only once a person trusts its `host:port`, as far as can be told without DNS. */
export function needsTrust(pattern: HostPattern): boolean {
  const addressClass = literalClass(pattern.host);
  return addressClass === "private" || addressClass === "loopback" || isPrivateName(pattern.host);
}

/** True for a rule whose host no request may reach, whoever trusts it: a metadata service, or an address that is none of a host. */
export function isNeverReachable({ host, isWildcard }: HostPattern): boolean {
  const addressClass = literalClass(host);
  return !isWildcard && (METADATA_NAMES.has(host) || addressClass === "metadata" || addressClass === "blocked");
}

/** Names under which clouds serve metadata; the addresses behind them are in the address list, but a resolver may know others. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.tencentyun.com",
  "instance-data",
  "instance-data.ec2.internal",
]);

function literalClass(host: string): AddressClass | undefined {
  if (host.startsWith("[")) return classifyAddress(host.slice(1, -1), "literal");
  return /^[0-9.]+$/u.test(host) ? classifyAddress(host, "literal") : undefined;
}

function hasUserinfo(text: string, url: URL): boolean {
  // "http://:@host/" leaves no trace in the parsed URL.
  return url.username !== "" || url.password !== "" || /^[^:/?#]*:[/\\]*[^/\\?#]*@/u.test(text);
}

function isHost(host: string): boolean {
  if (host.startsWith("[")) return true;
  return host.length <= 253 && host.split(".").every((label) => /^[a-z0-9_-]{1,63}$/u.test(label));
}

function isPublicAllowed(policy: EgressPolicy, url: URL, carriesSecret: boolean): boolean {
  if (policy.allowedHosts === undefined) return isDefaultPort(url);
  return policy.allowedHosts.some((pattern) => matchesHost(pattern, url, { carriesSecret }));
}

/** True if the list names exactly this host and port: what private hosts need. */
function allowsExactly(policy: EgressPolicy, url: URL, carriesSecret: boolean): boolean {
  return (policy.allowedHosts ?? []).some(
    (pattern) => !pattern.isWildcard && pattern.port !== undefined && matchesHost(pattern, url, { carriesSecret }),
  );
}

function isDefaultPort(url: URL): boolean {
  return effectivePort(url) === (url.protocol === "https:" ? 443 : 80);
}

function notAllowed(url: URL, policy: EgressPolicy): ToolError {
  const host = hostPortOf(url);
  const asked = `Tool "${policy.toolName}" asked for ${host}`;
  const entry = JSON.stringify(isDefaultPort(url) && literalClass(canonicalHost(url)) === undefined ? canonicalHost(url) : host);
  if (policy.allowedHosts === undefined) {
    return hostNotAllowed(
      `${asked}. Without "allowedHosts" a tool reaches port 443 with https and 80 with http. Add "allowedHosts": [${entry}] to it in tools.json.`,
      host,
    );
  }
  if (policy.allowedBy === "secrets") {
    const bound = policy.allowedHosts.map(hostPatternText).join(", ") || "none";
    return hostNotAllowed(
      `${asked}. It names secrets and has no "allowedHosts", so it reaches only the hosts those are bound to (${bound}). Add "allowedHosts" to it in tools.json, with every host it needs.`,
      host,
    );
  }
  return hostNotAllowed(
    `${asked} (${url.protocol.slice(0, -1)}), which its "allowedHosts" lacks. Add ${entry} to the list in tools.json, or change the URL.`,
    host,
  );
}

function privateNotAllowed(url: URL, policy: EgressPolicy): ToolError {
  const host = hostPortOf(url);
  return hostNotAllowed(
    `Tool "${policy.toolName}" asked for ${host}, which is not a public host. Add "${host}" to its "allowedHosts" in tools.json; then a person allows it with: toolyard trust`,
    host,
  );
}

function notTrusted(url: URL, policy: EgressPolicy): ToolError {
  const host = hostPortOf(url);
  return new ToolError(
    "NOT_TRUSTED",
    `Tool "${policy.toolName}" may not reach ${host} yet: it is not a public host. A person allows it with: toolyard trust`,
    {
      data: { host },
    },
  );
}

function neverReachable(url: URL, policy: EgressPolicy): ToolError {
  const host = hostPortOf(url);
  return hostNotAllowed(
    `Tool "${policy.toolName}" asked for ${host}, which is or leads to an address that no tool may reach. Change the URL.`,
    host,
  );
}

function hostNotAllowed(message: string, host: string): ToolError {
  return new ToolError("HOST_NOT_ALLOWED", message, { data: { host } });
}
