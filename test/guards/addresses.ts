/** Guards of where a request may go. No test of these dials anything but loopback: all others stub it. */
import { guardsOf, type SecurityGuard } from "./guard.ts";

const ADDRESSES = "test/security/egress-addresses.test.ts";
const SECRETS = "test/security/egress-secrets.test.ts";
const ANSWERS = "test/security/egress-answers.test.ts";
const DNS = "test/security/egress-dns.test.ts";
const ENVIRONMENT = "test/security/egress-environment.test.ts";

export const addressGuards: readonly SecurityGuard[] = [
  ...guardsOf(
    "src/egress/target.ts",
    [ADDRESSES],
    [
      ["url-control", "No control characters in a URL.", "(/\\p{Cc}|^\\s|\\s$/u.test(text) ? ", "(false ? "],
      ["url-scheme", "Only https and http.", "(/^https?:$/u.test(url.protocol) ? undefined :", "(_text !== undefined ? undefined :"],
      [
        "url-userinfo",
        "No user name or password in a URL.",
        "(hasUserinfo(text, url) ? ",
        "(hasUserinfo(text, url) && url === undefined ? ",
      ],
      [
        "url-host",
        "A host is a name or an address.",
        "(isHost(canonicalHost(url)) ? undefined :",
        "(isHost(canonicalHost(url)) || url !== undefined ? undefined :",
      ],
      ["url-port", "No port 0.", '(url.port === "0" ? ', '(url.port === "none" ? '],
      [
        "metadata-names",
        "Names of metadata services are never reached.",
        "if (METADATA_NAMES.has(host) || addressClass",
        "if (addressClass",
      ],
      [
        "default-ports",
        "Without a list of hosts only the usual ports.",
        "if (policy.allowedHosts === undefined) return isDefaultPort(url);",
        "if (policy.allowedHosts === undefined) return true;",
      ],
      ["private-listed", "A private host has to be listed exactly.", "    if (!isExact) throw privateNotAllowed(url, policy);\n", ""],
      ["private-trusted", "A private host needs trust.", "    if (!isTrusted) throw notTrusted(url, policy);\n", ""],
      [
        "allowed-hosts",
        "A tool reaches its hosts only.",
        "} else if (!isPublicAllowed(policy, url, carriesSecret)) {",
        "} else if (policy === undefined) {",
      ],
      [
        "plain-http",
        "No secret over plain http.",
        'if (carriesSecret && url.protocol === "http:") {',
        'if (carriesSecret && url.protocol === "none") {',
        SECRETS,
        "test/security/secret-path.test.ts",
      ],
      [
        "names-need-trust",
        "Names of private networks need trust.",
        'addressClass === "loopback" || isPrivateName(host)) {\n    if (!isExact)',
        'addressClass === "loopback") {\n    if (!isExact)',
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/address.ts",
    [ADDRESSES],
    [
      [
        "metadata-list",
        "Networks of metadata services.",
        '(isListed(address, METADATA_NETWORKS) ? "metadata" : undefined)',
        '(address === undefined ? "metadata" : undefined)',
      ],
      [
        "nat64",
        "An IPv4 address inside of NAT64 is judged itself.",
        '{ name: "nat64", judge: judgeNat64 },',
        '{ name: "nat64", judge: () => undefined },',
      ],
      [
        "loopback-range",
        "Loopback is loopback.",
        '(address.range() === "loopback" ? "loopback" : undefined)',
        '(address.range() === "none" ? "loopback" : undefined)',
      ],
      [
        "private-ranges",
        "Private networks are private.",
        'const PRIVATE_RANGES: readonly string[] = ["private", "carrierGradeNat", "uniqueLocal"];',
        "const PRIVATE_RANGES: readonly string[] = [];",
      ],
      [
        "own-addresses",
        "Public addresses of this machine are not public to it.",
        '(own.has(address.toString()) ? "private" : undefined)',
        '(own === undefined ? "private" : undefined)',
        ADDRESSES,
        DNS,
      ],
      [
        "global-ipv6",
        "IPv6 outside of 2000::/3 is blocked.",
        '!isListed(address, ["2000::/3"]) ? "blocked"',
        '!isListed(address, ["::/0"]) ? "blocked"',
      ],
      [
        "isatap",
        "IPv4 inside of ISATAP is blocked.",
        '(isIsatap(address) ? "blocked" : undefined)',
        '(address === undefined ? "blocked" : undefined)',
      ],
      [
        "unicast-only",
        "What is not understood is blocked.",
        '(address.range() === "unicast" ? "public" : undefined)',
        '(address !== undefined ? "public" : undefined)',
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/connector.ts",
    [ADDRESSES],
    [
      [
        "every-answer",
        "Every answer of DNS is judged.",
        "for (const address of addresses) {\n",
        "for (const address of addresses.slice(0, 1)) {\n",
      ],
      [
        "answers-judged",
        "Answers of DNS are judged at all.",
        'judgeAddresses(addresses, isIP(target.hostname) === 0 ? "dns" : "literal", reach, ownAddresses());\n',
        "",
      ],
      [
        "far-end",
        "The far end is one of the judged addresses.",
        "if (far === undefined || !addresses.some((address) => canonicalAddress(address) === far)) {",
        "if (far === null) {",
      ],
      [
        "loopback-names",
        "localhost is this machine, whatever a resolver says.",
        'if (isLoopbackHost(hostname)) return ["127.0.0.1", "::1"];',
        "",
      ],
      ["reach-public", "A public reach is public.", '  public: ["public"],', '  public: ["public", "private", "loopback"],'],
      [
        "reach-private",
        "Trust in a private host does not reach metadata.",
        '  private: ["public", "private", "loopback"],',
        '  private: ["public", "private", "loopback", "metadata", "blocked"],',
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/dial.ts",
    ["src/egress/dial.test.ts", ENVIRONMENT],
    [
      ["tls-verified", "Certificates are always checked.", "    rejectUnauthorized: true,", "    rejectUnauthorized: false,", ANSWERS],
      ["tls-version", "No flag of Node lowers the version of TLS.", '    minVersion: "TLSv1.2",\n', ""],
      ["tls-ciphers", "No flag of Node chooses ciphers.", "    ciphers: CIPHERS,\n", ""],
      ["tls-level", "No file of OpenSSL's settings lets short keys pass.", "}:@SECLEVEL=2`", "}`"],
    ],
  ),
  ...guardsOf(
    "src/egress/proxy-dial.ts",
    ["test/security/egress-proxy.test.ts"],
    [["proxy-address", "A proxy is told the judged address.", "const authority = `", "const authority = `proxy.invalid:443` || `"]],
  ),
  ...guardsOf(
    "src/egress/dial.ts",
    ["src/egress/dial.test.ts"],
    [
      [
        "pinned",
        "What is dialed is what was judged.",
        "firstConnection(addresses, port,",
        'firstConnection(["127.0.0.2"], port,',
        "src/egress/dial.test.ts",
        ANSWERS,
      ],
      [
        "no-http2",
        "No HTTP/2, which knows other limits.",
        'ALPNProtocols: ["http/1.1"],',
        'ALPNProtocols: ["h2", "http/1.1"],',
        "test/security/single-guards.test.ts",
      ],
      ["connect-limit", "To connect takes 10 s at most.", "port, CONNECT_TIMEOUT_MS);", "port, 3_600_000);"],
      ["tls-limit", "TLS counts within these 10 s.", "Math.max(0, endsAt - performance.now())", "3_600_000"],
    ],
  ),
  ...guardsOf(
    "src/egress/connector.ts",
    [ADDRESSES],
    [
      [
        "literal",
        "A literal is judged as one.",
        'isIP(target.hostname) === 0 ? "dns" : "literal"',
        'isIP(target.hostname) === 0 ? "dns" : "dns"',
        "test/security/single-guards.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/transport.ts",
    [ADDRESSES, "src/egress/egress.test.ts"],
    [
      [
        "reach-agents",
        "A connection is used again within its own reach only.",
        "dispatcher: agents[reach],",
        "dispatcher: agents.private,",
      ],
    ],
  ),
];
