/** Guards of queries, basic credentials, bindings and secrets per agent. */
import { guardsOf, type SecurityGuard } from "./guard.ts";

export const additionGuards: readonly SecurityGuard[] = [
  ...guardsOf(
    "src/egress/call-egress.ts",
    [],
    [
      [
        "query-counts-as-secret",
        "A query with a secret counts as one.",
        " || urls.secrets.length > 0",
        "",
        "test/security/egress-secrets.test.ts",
        "test/security/query-secrets.test.ts",
      ],
      ["token-counts-as-secret", "A token counts as a secret.", " || token !== undefined;", ";", "test/security/egress-secrets.test.ts"],
      [
        "judge-before-token",
        "No token is fetched for a URL that is refused.",
        "  const reach = judgeTarget(hop.url, policy, { carriesSecret });",
        "  await token?.get(signal);\n  const reach = judgeTarget(hop.url, policy, { carriesSecret });",
        "test/security/oauth.test.ts",
      ],
      [
        "shown-url",
        "The URL that is shown holds nothing of the tool.",
        "{ ...hop, url: urls.shown }",
        "{ ...hop, url: urls.sent }",
        "test/security/query-secrets.test.ts",
      ],
      [
        "repeat-counted",
        "A request that is repeated counts twice.",
        "  chain.count(hostPortOf(hop.url));\n  return { answer: await send(renewed)",
        "  return { answer: await send(renewed)",
        "test/security/oauth.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/call-egress.ts",
    ["test/security/steering-headers.test.ts"],
    [
      [
        "script-headers-judged",
        "A script's own headers are judged with its secrets.",
        "headerNames: [...hop.own.keys()]",
        "headerNames: []",
      ],
      [
        "request-errors-masked",
        "Errors of requests are masked.",
        "throw redactError(translate(error, hop, chain.options.policy, signal, timeout), trail, chain);",
        "throw translate(error, hop, chain.options.policy, signal, timeout);",
        "test/security/egress-secrets.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/request-query.ts",
    [],
    [
      [
        "script-query-replaced",
        "The tool's parameter replaces the script's.",
        'part !== "" && !added.has(nameOf(part))',
        'part !== ""',
        "src/egress/request-query.test.ts",
      ],
      [
        "spelling-of-names",
        "A parameter is known in every spelling.",
        "for (const name of new URLSearchParams(part).keys()) return name;",
        'return part.split("=")[0] ?? "";',
        "src/egress/request-query.test.ts",
      ],
      [
        "exclusive-query",
        "replaceExisting false refuses the script's parameter.",
        "exclusive.has(name) && added.has(name)",
        'exclusive.has(name) && added.has(name) && name === ""',
        "src/egress/request-query.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/call-secrets.ts",
    [],
    [
      [
        "not-after-other-origin-values",
        "No value goes along after another origin.",
        "(one.use === undefined || hop.allowSecrets) && ",
        "",
        "src/secrets/call-secrets.test.ts",
      ],
      [
        "not-after-other-origin-token",
        "No token goes along after another origin.",
        "grant === undefined || !hop.allowSecrets || ",
        "grant === undefined || ",
        "src/secrets/call-secrets.test.ts",
        "test/security/oauth.test.ts",
      ],
      [
        "own-hosts",
        "A header goes to its own hosts.",
        "return hosts === undefined || hosts.some((host) => matchesHost(host, url, { carriesSecret: false }));",
        "return true || hosts === undefined;",
        "src/secrets/call-secrets.test.ts",
      ],
      [
        "trust-wildcard",
        "A binding with an asterisk is no trust in a private host.",
        "(isWildcard || port === undefined ?",
        "(port === undefined ?",
        "src/secrets/call-secrets.test.ts",
      ],
      [
        "agent-names",
        "An agent has its own secrets.",
        "agent?.stored.get(name) ?? name;",
        "name;",
        "src/secrets/call-additions.test.ts",
        "src/engine/agent-secrets.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/binding-fault.ts",
    [],
    [
      [
        "token-judged",
        "A token goes to the hosts of its secrets.",
        "  if (!matches(hosts)) return",
        '  if (place.kind === "token") return undefined;\n  if (!matches(hosts)) return',
        "test/security/oauth.test.ts",
      ],
      [
        "binding-header",
        "A binding with a header holds.",
        '  if (binding.header !== undefined && binding.header !== headerOf(place)) return { kind: "header", place };\n',
        "",
        "src/secrets/call-secrets.test.ts",
        "test/security/oauth.test.ts",
      ],
      [
        "binding-steered-method",
        "A key bound to methods goes beside no header for another.",
        'binding.methods.includes(method) ? steered("method")',
        "binding.methods.includes(method) ? undefined",
        "src/secrets/call-secrets.test.ts",
        "test/security/steering-headers.test.ts",
      ],
      [
        "binding-steered-path",
        "A key bound to a path goes beside no header for another.",
        'isPathBound ? steered("path") : undefined;',
        "isPathBound ? undefined : undefined;",
        "src/secrets/call-secrets.test.ts",
        "test/security/steering-headers.test.ts",
      ],
      [
        "binding-format",
        "A binding with a format holds.",
        '  if (binding.format !== undefined && binding.format !== form) return { kind: "format", place };\n',
        "",
        "src/secrets/call-secrets.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/core/secret-template.ts",
    [],
    [
      [
        "basic-colon",
        "A user name has no colon.",
        'if (user.includes(":")) {',
        'if (user.includes("\\0")) {',
        "src/secrets/call-additions.test.ts",
      ],
      [
        "basic-alone",
        "Basic is a whole value.",
        "if (parts.length > 1 && parts",
        "if (parts.length > 99 && parts",
        "src/core/secret-template.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/workspace/entry-checks.ts",
    [],
    [
      [
        "template-in-query-name",
        "No template in a parameter's name.",
        "value.filter(({ name }) => holdsTemplate(name))",
        'value.filter(({ name }) => name === "")',
        "src/workspace/auth-entry.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/workspace/zod-problems.ts",
    [],
    [
      [
        "secretive-fields",
        "Findings do not quote what may be a secret.",
        'new Set(["query", "auth"])',
        "new Set([])",
        "src/workspace/auth-entry.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/workspace/workspace-tool.ts",
    [],
    [
      ["key-of-query", "A changed query is live.", "query.map(withoutPlace), ", "", "src/workspace/workspace-tool.test.ts"],
      [
        "key-of-auth",
        "A changed auth is live.",
        "auth === undefined ? null : withoutPlace(auth)",
        "null",
        "src/workspace/workspace-tool.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/core/secret-template.ts",
    ["src/core/secret-template.test.ts"],
    [
      [
        "not-recursive",
        "A value is not searched for templates.",
        "      return valueNamed(part.name, values);",
        "      return renderTemplate(parseTemplate(valueNamed(part.name, values)).parts, values).reveal();",
      ],
      [
        "no-empty-value",
        "An empty value is none.",
        'if (value !== undefined && value !== "") return value;',
        "if (value !== undefined) return value;",
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/binding.ts",
    ["src/secrets/binding.test.ts", "test/security/connection-headers.test.ts"],
    [
      [
        "binding-connection",
        "A binding names no header of the connection.",
        "if (header !== undefined && isConnectionHeader(header))",
        'if (header === "")',
      ],
    ],
  ),
];
