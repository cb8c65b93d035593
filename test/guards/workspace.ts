/** Guards against what a workspace holds, and of what it may use. */
import { guardsOf, type SecurityGuard } from "./guard.ts";

const FILES = "test/security/workspace-files.test.ts";
const IDENTITY = "test/security/workspace-identity.test.ts";
const HOST_PATTERN = "src/core/host-pattern.test.ts";

export const workspaceGuards: readonly SecurityGuard[] = [
  ...guardsOf(
    "src/core/host-pattern.ts",
    [HOST_PATTERN, "src/core/host-pattern-oracle.test.ts"],
    [
      ["wildcard-label", "An asterisk is one label.", '&& !label.includes(".") &&', "&&"],
      ["wildcard-suffix", "An asterisk covers no public suffix.", "&& !isPublicSuffix(host);", ";"],
      [
        "suffix-refused",
        "Nobody binds to a public suffix.",
        "if (isWildcard && isPublicSuffix(host)) {",
        'if (isWildcard && host === "") {',
      ],
      [
        "port-match",
        "The port is part of the rule.",
        "if (effectivePort(url) !== (pattern.port ?? (isPlain ? 80 : 443))) return false;",
        "",
      ],
      [
        "scheme-match",
        "The scheme is part of the rule.",
        "if (pattern.scheme !== undefined && url.protocol !== ",
        "if (pattern.scheme === null && url.protocol !== ",
      ],
      [
        "plain-exact",
        "A secret goes over plain http only where the binding says so.",
        'const isMeant = pattern.kind === "allowed" || pattern.scheme === "http";',
        "const isMeant = true;",
        HOST_PATTERN,
        "test/security/secret-path.test.ts",
      ],
      [
        "path-boundary",
        "A path ends at a slash.",
        "return path === prefix || path.startsWith(",
        "return path.startsWith(prefix) || path.startsWith(",
      ],
      ["path-unclear", "Paths that are read in two ways fit no prefix.", "if (isUnclearPath(path)) return false;", ""],
    ],
  ),
  ...guardsOf(
    "src/secrets/binding-fault.ts",
    ["src/secrets/call-secrets.test.ts"],
    [
      [
        "binding-host",
        "A secret goes to its hosts only.",
        "if (!matches(hosts)) return { kind:",
        "if (hosts.length === 0) return { kind:",
        "test/security/secret-path.test.ts",
        "test/security/attack.test.ts",
      ],
      [
        "binding-method",
        "A secret goes along with its methods only.",
        "if (binding.methods === undefined) return undefined;",
        "if (binding.methods?.length !== 0) return undefined;",
      ],
    ],
  ),
  ...guardsOf(
    "src/core/url-path.ts",
    ["src/core/url-path.test.ts"],
    [
      [
        "path-encoded",
        "Encoded slashes in any depth are seen.",
        'if (ENCODED.test(path) || path.includes("//"))',
        'if (path.includes("//"))',
      ],
      ["path-utf8", "A path that is not UTF-8 is unclear.", "    return undefined;\n", "    return path;\n"],
      ["path-folded", "Characters of full width count as what they are folded to.", 'text.normalize("NFKC")', "text"],
      ["path-dots-cut", "Dots with something behind them that servers cut off are unclear.", ".some(isDotLike)", '.includes("..")'],
    ],
  ),
  ...guardsOf(
    "src/core/secret-template.ts",
    ["src/core/secret-template.test.ts"],
    [
      [
        "rendered-value",
        "What is filled in can be a header.",
        "if (!isHeaderValue(rendered)) {",
        'if (rendered === "\\0") {',
        "src/core/secret-template.test.ts",
        "src/secrets/call-secrets.test.ts",
      ],
      [
        "template-case",
        "Names in lower case are none.",
        'const NAME = "[A-Z][A-Z0-9_]{0,63}";',
        'const NAME = "[A-Za-z][A-Za-z0-9_]{0,63}";',
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/call-secrets.ts",
    [IDENTITY, "src/secrets/call-secrets.test.ts"],
    [
      [
        "moved-folder",
        "A moved folder has no secrets.",
        'if (names.length > 0 && workspace.kind === "moved") {',
        'if (names.length < 0 && workspace.kind === "moved") {',
      ],
      [
        "global-trust",
        "A global secret needs trust.",
        "  if (untrusted.length > 0) {",
        "  if (untrusted.length < 0) {",
        "src/secrets/call-secrets.test.ts",
        "test/security/secret-path.test.ts",
      ],
      ["global-hosts", "A global secret's binding is no trust in a private host.", 'if (scope.kind !== "workspace") return [];', ""],
    ],
  ),
  ...guardsOf(
    "src/engine/workspace-guard.ts",
    ["src/engine/workspace-guard.test.ts", IDENTITY],
    [
      ["state-moved", "A moved folder is told from a new one.", 'if (state === "moved") return { kind: "moved" };', ""],
      [
        "trust-per-tool",
        "Trust is of one tool.",
        'secrets.trustsHost(hostPort) || isTrusted({ kind: "private-host", tool: tool.entry.name, value: hostPort });',
        "true;",
        "src/engine/workspace-guard.test.ts",
        "test/security/secret-path.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/policy/trust-store.ts",
    ["src/policy/trust-store.test.ts", IDENTITY],
    [
      [
        "trust-known",
        "What was trusted counts where it was.",
        "return found !== undefined && isKnown() ? found.trustedAtMs : undefined;",
        "return found?.trustedAtMs;",
      ],
      [
        "trust-value",
        "Trust is of one exact value.",
        "other.tool === entry.tool && other.value === entry.value;",
        "other.tool === entry.tool;",
      ],
      [
        "trust-tool",
        "Trust is of one exact tool.",
        "other.tool === entry.tool && other.value === entry.value;",
        "other.value === entry.value;",
      ],
    ],
  ),
  ...guardsOf(
    "src/workspace/script-path.ts",
    ["src/workspace/script-path.test.ts", FILES],
    [
      ["path-control", "No control characters in a path.", "if (/\\p{Cc}/u.test(path)) return", 'if (path === "") return'],
      ["path-backslash", "No backslash in a path.", 'if (path.includes("\\\\")) return', 'if (path === "") return'],
      ["path-absolute", "No absolute path.", 'if (path.startsWith("/")) return', 'if (path === "") return'],
      ["path-parent", "No way up.", 'if (part === "..") return', 'if (part === "\\0") return'],
      ["path-drive", "No drives and streams.", 'if (path.includes(":")) return', 'if (path === "") return'],
      ["path-dots", "No name that Windows shortens.", 'if (/[. ]$/.test(part) && part !== ".") return', 'if (part === "\\0") return'],
      ["path-device", "No devices of Windows.", "if (DEVICE_NAME.test(part)) return", 'if (part === "\\0") return'],
    ],
  ),
  ...guardsOf(
    "src/workspace/inside-file.ts",
    [FILES],
    [
      ["inside", "A file lies inside once links are resolved.", '    if (!isInside(realRoot, realPath)) return { kind: "outside" };\n', ""],
      [
        "own-folder",
        "The server's own folder is no part of the workspace.",
        "return first.toLowerCase() !== PRIVATE_FOLDER;",
        "return true;",
      ],
    ],
  ),
  ...guardsOf(
    "src/workspace/entry-checks.ts",
    ["src/workspace/tools-file.test.ts"],
    [
      ["hidden-names", "No hidden characters in names.", "const hidden = [...refused, ...warned];", "const hidden: string[] = [];"],
      [
        "tools-connection",
        "tools.json sets no header of the connection.",
        "...(isConnectionHeader(name)\n",
        '...(name === "\\0"\n',
        "test/security/connection-headers.test.ts",
        "src/workspace/tools-file.test.ts",
      ],
      [
        "template-place",
        "A template stands where it is filled in.",
        "return holdsTemplate(value) ? [templateProblem(spot)] : [];",
        "return [];",
      ],
      ["tools-twice", "A header stands once.", "      ...(isTwice ?", '      ...(name === "\\0" ?'],
    ],
  ),
  ...guardsOf(
    "src/workspace/bundle/bundle-service.ts",
    ["src/workspace/bundle/bundle-service.test.ts"],
    [
      [
        "import-answer",
        "No import ends the server.",
        '      answer = { kind: "refused", code: "FILE_UNREADABLE", text:',
        '      throw error; answer = { kind: "refused", code: "FILE_UNREADABLE", text:',
      ],
    ],
  ),
  ...guardsOf(
    "src/workspace/hidden-text.ts",
    ["test/security/workspace-hidden-text.test.ts"],
    [["hidden-text", "No hidden text in what a model reads.", "    if (refused.length > 0) {", "    if (refused.length < 0) {"]],
  ),
  ...guardsOf(
    "src/workspace/json-document.ts",
    ["src/workspace/json-document.test.ts"],
    [
      ["file-proto", "No key __proto__ in files.", "if (key === FORBIDDEN_KEY || isRepeated)", "if (isRepeated)"],
      ["file-twice", "No key twice in files.", "if (key === FORBIDDEN_KEY || isRepeated)", "if (key === FORBIDDEN_KEY)"],
    ],
  ),
  ...guardsOf(
    "src/schema/copy-json.ts",
    ["src/schema/validator.test.ts", "test/security/argument-repair.test.ts"],
    [["arguments-proto", "No key __proto__ in arguments.", "      if (key === FORBIDDEN_KEY) fault", "      if (key === undefined) fault"]],
  ),
  ...guardsOf(
    "src/schema/schema-check.ts",
    ["src/schema/schema-check.test.ts"],
    [
      ["schema-nodes", "A schema has so many values.", "    if (nodes > MAX_SCHEMA_NODES) {", "    if (nodes < 0) {"],
      ["schema-depth", "A schema is nested so deep.", "    if (depth > maxDepth) {", "    if (depth < 0) {"],
      ["schema-bytes", "A schema has so many bytes.", "if (bytes <= maxBytes) return [];", "if (bytes >= 0) return [];"],
      ["schema-proto", "No key __proto__ in a schema.", "      if (key === FORBIDDEN_KEY) {", "      if (key === undefined) {"],
    ],
  ),
];
