/** Guards of the HTTP server. */
import { guardsOf, type SecurityGuard } from "./guard.ts";

const GATE = "test/security/http-gate.test.ts";
const LIMITS = "test/security/http-limits.test.ts";
const ROOM = "src/server/http-room.test.ts";

export const serverGuards: readonly SecurityGuard[] = [
  ...guardsOf(
    "src/server/http-gate.ts",
    [GATE],
    [
      ["headers-once", "Headers that decide stand once.", "if (seen.has(name)) return refuse(", 'if (name === "") return refuse('],
      [
        "target-path",
        "The target of a request is a path.",
        'if (url?.startsWith("/") !== true) return refuse(',
        'if (url === "") return refuse(',
      ],
      [
        "host",
        "The Host is that of the server.",
        "if (name !== undefined && (LOOPBACK_HOSTS.includes(name) || name === publicUrl?.hostname)) return undefined;",
        "if (name !== undefined) return undefined;",
      ],
      [
        "origin",
        "The Origin is allowed.",
        "if (origin !== undefined && !isAllowedOrigin(origin, settings.publicUrl)) {",
        'if (origin === "" && !isAllowedOrigin(origin, settings.publicUrl)) {',
      ],
      [
        "origin-form",
        "An Origin has one spelling.",
        "if (url === null || url.origin !== origin) return false;",
        "if (url === null) return false;",
      ],
      ["token-in-url", "No token in a URL.", "if (/[?&](?:access_token|token|api_key|authorization)=/i.test(url)) {", 'if (url === "") {'],
      [
        "token",
        "A token counts only if it is known.",
        "if (token === undefined || found === undefined)\n",
        'if (token === undefined || found === undefined) return { kind: "mcp", client: { agent: "default", tokenHash: "", isValid: () => true } };\n  if (token === "")\n',
      ],
      [
        "agent-defined",
        "The agent of a token is defined.",
        "  if (!isDefined()) {",
        "  if (url === undefined) {",
        GATE,
        "src/server/http.test.ts",
      ],
      [
        "body-head",
        "A body is refused by its length.",
        'if (Number(headers["content-length"]) > maxBodyBytes) return tooLarge(maxBodyBytes);',
        "",
        GATE,
        LIMITS,
      ],
      ["compressed", "No compressed bodies.", '.toLowerCase() !== "identity")', '.toLowerCase() === "none")'],
      [
        "media-type",
        "A body is JSON.",
        'if (mediaType !== "application/json") return refuse',
        'if (mediaType === "none") return refuse',
        "test/security/single-guards.test.ts",
      ],
      [
        "rate",
        "A token asks so often.",
        "const over = settings.rate.ofToken(admitted.client.tokenHash);",
        "const over = undefined as never;",
        "test/security/http-limits.test.ts",
      ],
      [
        "rate-strangers",
        "Guesses of tokens are counted.",
        "const over = settings.rate.ofStranger();",
        "const over = undefined;",
        "test/security/http-limits.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/server/http-body.ts",
    ["src/server/http-body.test.ts", LIMITS],
    [["body-size", "A body is capped while it comes.", "if (size <= maxBytes) {\n", "if (size >= 0) {\n"]],
  ),
  ...guardsOf(
    "src/server/json-text.ts",
    [GATE, "src/server/wire-message.test.ts"],
    [["json-depth", "JSON is not nested for ever.", 'if (isDeeperThan(text, MAX_JSON_DEPTH)) return { kind: "too-deep" };', ""]],
  ),
  ...guardsOf(
    "src/server/wire-message.ts",
    [GATE, "src/server/wire-message.test.ts"],
    [["batch", "No batches.", "if (Array.isArray(value)) return refuse(", "if (value === undefined) return refuse("]],
  ),
  ...guardsOf(
    "src/server/http-sessions.ts",
    ["src/server/http-sessions.test.ts", GATE],
    [
      [
        "session-token",
        "A session belongs to one token.",
        "if (session === undefined || !isSameClient(session.client, incoming.client)) {",
        "if (session === undefined) {",
        "test/security/http-revocation.test.ts",
        "src/server/http.test.ts",
      ],
      [
        "session-room",
        "Sessions that nobody uses lock nobody out.",
        "idle.find((session) => session.client.tokenHash",
        "[].find(() => client.tokenHash",
        ROOM,
      ],
      ["session-in-use", "A session in use does not make room.", "all.filter(({ uses }) => uses === 0)", "[...all]", ROOM],
      [
        "session-calls",
        "A call keeps its session.",
        "        this.#begin(session);\n        try {",
        "        session.uses += 0;\n        try {",
        ROOM,
      ],
      [
        "session-share",
        "A token that fills the server ends no session of one with few.",
        "countOf(session.client) > countOf(client)",
        "countOf(session.client) > 0",
        ROOM,
      ],
    ],
  ),
  ...guardsOf(
    "src/server/http-streams.ts",
    [ROOM],
    [["streams-at-once", "A token has so many listening streams.", "if (counts.of(client.tokenHash) >= limit) {", "if (limit < 0) {"]],
  ),
  ...guardsOf(
    "src/server/http-revocation.ts",
    ["test/security/http-revocation.test.ts"],
    [["revocation", "What a removed token opened ends.", "      response.destroy();\n", "", "test/security/http-revocation.test.ts"]],
  ),
  ...guardsOf(
    "src/server/http-places.ts",
    ["src/server/http-places.test.ts", "test/security/http-call-limits.test.ts"],
    [["calls-at-once", "A token has so many calls at once.", "if (counts.of(tokenHash) >= maxAtOnce()) return undefined;", ""]],
  ),
  ...guardsOf(
    "src/server/http.ts",
    ["src/server/http.test.ts"],
    [
      [
        "open-server",
        "No server for others without an address and tokens.",
        "  refuseOpenServer(options, publicUrl);\n",
        "",
        "src/server/http.test.ts",
        GATE,
      ],
    ],
  ),
  ...guardsOf(
    "src/cli/main.ts",
    ["test/security/start-options.test.ts"],
    [["debugger-signal", "No signal opens Node's debugger.", 'process.on("SIGUSR1", () => undefined);\n', ""]],
  ),
  ...guardsOf(
    "src/server/http.ts",
    ["test/security/http-slow.test.ts"],
    [
      ["slow-headers", "Headers that come slowly end.", "      headersTimeout: times.headersMs,\n", "      headersTimeout: 0,\n"],
      ["slow-request", "A request that comes slowly ends.", "      requestTimeout: times.requestMs,\n", "      requestTimeout: 0,\n"],
      [
        "server-headers",
        "Headers of a request have a size.",
        "maxHeaderSize: MAX_HEADER_BYTES,",
        "maxHeaderSize: 16_777_216,",
        LIMITS,
        GATE,
      ],
      ["connections", "There are so many connections.", "  server.maxConnections = MAX_CONNECTIONS;\n", "", LIMITS],
      [
        "strict-parser",
        "No option of Node makes the parser lenient.",
        "      insecureHTTPParser: false,\n",
        "",
        "test/security/http-parser.test.ts",
      ],
    ],
  ),
];
