/** Guards of what a request carries, and of what comes back. */
import { guardsOf, type SecurityGuard } from "./guard.ts";

const SECRETS = "test/security/egress-secrets.test.ts";
const HEADERS = "test/security/egress-headers.test.ts";
const ANSWERS = "test/security/egress-answers.test.ts";
const CONNECTION = "test/security/connection-headers.test.ts";

export const requestGuards: readonly SecurityGuard[] = [
  ...guardsOf(
    "src/egress/response-body.ts",
    [ANSWERS, "src/egress/response-body.test.ts"],
    [
      ["cap-wire", "A body is capped on the wire.", "let chunks = capped(source);", "let chunks: Chunks = source;"],
      [
        "cap-unpacked",
        "A body is capped after decompression.",
        "chunks = capped(unpacked(chunks, open, host));",
        "chunks = unpacked(chunks, open, host);",
      ],
      [
        "zstd-window",
        "zstd has a window of at most 8 MiB.",
        "createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } })",
        "createZstdDecompress()",
        "test/security/single-guards.test.ts",
      ],
      ["codings", "A body is unpacked at most twice.", "if (codings.length > MAX_CODINGS)", "if (codings.length < 0)"],
    ],
  ),
  ...guardsOf(
    "src/egress/transport.ts",
    [ANSWERS],
    [
      ["header-bytes", "Headers of an answer have a size.", "maxHeaderSize: MAX_HEADER_BYTES,", "maxHeaderSize: 16_777_216,"],
      ["header-count", "Headers of an answer have a number.", "values.length, 0) > MAX_HEADERS) {", "values.length, 0) < 0) {"],
    ],
  ),
  ...guardsOf(
    "src/egress/script-request.ts",
    [SECRETS, HEADERS],
    [
      [
        "trace",
        "TRACE and its kin cannot be used.",
        "if (REFUSED_METHODS.includes(method)) throw",
        "if (REFUSED_METHODS.length > 99) throw",
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/redirect.ts",
    [SECRETS],
    [
      ["redirect-cap", "Redirects have an end.", "if (hop.redirects >= maxRedirects)", "if (maxRedirects < 0)"],
      [
        "location-secret",
        "A secret in Location is not followed to another host.",
        "if (!isSameOrigin && masked !== undefined && (",
        "if (!isSameOrigin && masked === null && (",
      ],
      [
        "location-deep",
        "A secret in Location is found however it is wrapped.",
        "(findsDeep(masked, location) || findsDeep(masked, url.href))",
        "(masked.finds(Buffer.from(location)) || masked.finds(Buffer.from(url.href)))",
        "test/security/egress-redirect-wrapped.test.ts",
      ],
      [
        "redirect-plain",
        "https does not redirect to http.",
        'if (hop.url.protocol === "https:" && url.protocol === "http:") throw',
        'if (url.protocol === "none") throw',
        SECRETS,
        "test/security/single-guards.test.ts",
      ],
      [
        "redirect-own",
        "The script's credentials stay at their origin.",
        "const own = isSameOrigin ? hop.own : withoutCredentials(hop.own);",
        "const own = hop.own;",
      ],
      [
        "redirect-not-back",
        "Secrets stay off after another origin, also back at the first.",
        "allowSecrets: hop.allowSecrets && isSameOrigin,",
        "allowSecrets: isSameOrigin,",
        "test/security/single-guards.test.ts",
      ],
      [
        "redirect-off",
        "No secret goes to another origin.",
        "allowSecrets: hop.allowSecrets && isSameOrigin,",
        "allowSecrets: hop.allowSecrets,",
      ],
      [
        "location-twice",
        "Two Locations are none.",
        'if (others.length > 0) throw networkError(host, "BAD_REDIRECT");',
        "",
        ANSWERS,
        SECRETS,
        "test/security/single-guards.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/call-egress.ts",
    [SECRETS],
    [
      [
        "redirect-check",
        "A secret that would follow to another origin ends the request.",
        "if (carriesSecret && !hop.allowSecrets) {",
        "if (carriesSecret && hop === undefined) {",
        SECRETS,
        "test/security/query-secrets.test.ts",
      ],
      [
        "request-count",
        "A call makes so many requests.",
        "if (figures.requests >= options.limits.requestsPerCall)",
        "if (figures.requests < 0)",
        SECRETS,
        ANSWERS,
      ],
      [
        "answers-masked",
        "Answers are masked.",
        "redactor: () => masksOf(chain, trail),",
        "redactor: () => undefined,",
        "test/security/attack.test.ts",
      ],
      [
        "deadline",
        "A slow answer ends with its time.",
        "AbortSignal.any([signal, timeout, ended.signal]);",
        "AbortSignal.any([signal, ended.signal]);",
        ANSWERS,
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/request-headers.ts",
    [HEADERS, CONNECTION],
    [
      ["script-connection", "A script sets no header of the connection.", "if (isConnectionHeader(key)) throw", 'if (key === "") throw'],
      ["header-twice", "A script's header stands once, whatever its case.", "if (parsed.has(key)) throw", 'if (key === "") throw'],
      ["header-value", "No line breaks in a script's header.", "if (!isHeaderValue(value)) throw", "if (value === undefined) throw"],
      ["header-name", "A header's name is a token.", "if (!HTTP_TOKEN.test(key)) throw", 'if (key === "") throw'],
      [
        "tool-wins",
        "The tool's header replaces the script's.",
        "    values.set(key, text);\n",
        "    if (!values.has(key)) values.set(key, text);\n",
      ],
      [
        "exclusive",
        "replaceExisting false refuses the script's.",
        "if (exclusive.has(key) && own.has(key)) {",
        "if (exclusive.has(key) && own === undefined) {",
      ],
    ],
  ),
  ...guardsOf(
    "src/engine/script-tool.ts",
    ["src/engine/agent-secrets.test.ts"],
    [
      [
        "hosts-demanded",
        "Where a list of hosts is demanded, a tool without one sends nothing.",
        "const needsList = entry.allowedHosts === undefined && (",
        "const needsList = entry === undefined && (",
      ],
      [
        "http-off",
        "Where plain http is off, none is sent.",
        "if (!network.allowHttp && ",
        "if (network.allowHttp === undefined && ",
        "test/security/single-guards.test.ts",
      ],
      [
        "network-off",
        "Where the network is off, nothing is sent.",
        "  if (!network.enabled) return undefined;\n",
        "",
        "test/security/single-guards.test.ts",
      ],
    ],
  ),
];
