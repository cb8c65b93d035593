/** Guards of tokens that are fetched for a tool. */
import { guardsOf, type SecurityGuard } from "./guard.ts";

export const tokenGuards: readonly SecurityGuard[] = [
  ...guardsOf(
    "src/secrets/oauth-grant.ts",
    [],
    [
      [
        "token-request-judged",
        "The request for a token is judged where it goes.",
        'place.kind === "token-request" ? { url: tokenUrl, method: "POST" } : hop',
        "hop",
        "test/security/oauth.test.ts",
      ],
      [
        "client-masked",
        "Client id and secret are masked.",
        "markSent([...known, token,",
        "markSent([token,",
        "test/security/oauth.test.ts",
        "src/secrets/call-secrets.test.ts",
      ],
      [
        "token-masked",
        "A token is masked.",
        "markSent([...known, token, new Secret(",
        "markSent(known); void ([...known, token, new Secret(",
        "test/security/oauth.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/engine/token-cache.ts",
    [],
    [
      [
        "cache-key-agent",
        "A token is of one agent.",
        "const facts = [tool, agent,",
        "const facts = [tool,",
        "src/engine/token-cache.test.ts",
        "test/security/oauth.test.ts",
      ],
      [
        "cache-key-tool",
        "A token is of one tool.",
        "const facts = [tool, agent,",
        "const facts = [agent,",
        "src/engine/token-cache.test.ts",
      ],
      [
        "cache-key-secret",
        "A token is of one secret.",
        "clientSecret.reveal(), scope",
        "scope",
        "src/engine/token-cache.test.ts",
        "test/security/oauth.test.ts",
      ],
      [
        "one-fetch",
        "Many calls fetch one token.",
        "    if (slot.pending !== undefined) return slot.pending;\n",
        "",
        "src/engine/token-cache.test.ts",
        "test/security/oauth.test.ts",
      ],
      [
        "failure-remembered",
        "A failed fetch is not repeated at once.",
        "now() - failed.atMs < FAILURE_MS",
        "now() - failed.atMs < 0",
        "src/engine/token-cache.test.ts",
        "test/security/oauth.test.ts",
      ],
      [
        "renew-once",
        "A token is renewed once.",
        "now() - held.renewedAtMs < FRESH_MS",
        "now() - held.renewedAtMs < 0",
        "src/engine/token-cache.test.ts",
        "test/security/oauth.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/oauth-request.ts",
    [],
    [
      [
        "issuer-redirect",
        "The issuer does not redirect.",
        '    if (answer.status >= 300 && answer.status <= 399) throw failed("it redirects, which no token request follows", "REDIRECT");\n',
        "",
        "test/security/oauth.test.ts",
      ],
      [
        "issuer-answer-size",
        "The issuer's answer has a size.",
        "if (bytes > MAX_ANSWER_BYTES) return undefined;",
        "",
        "test/security/oauth.test.ts",
      ],
      ["token-size", "A token is not too long for a header.", " || token.length > MAX_TOKEN_CHARACTERS", "", "test/security/oauth.test.ts"],
      ["token-characters", "A token can be a header.", " || !/^[\\x21-\\x7e]+$/.test(token)", "", "test/security/oauth.test.ts"],
      [
        "issuer-words",
        "The issuer's own words reach nobody.",
        "REFUSALS.find((known) => known === json?.error)",
        'typeof json?.error === "string" ? json.error : undefined',
        "test/security/oauth.test.ts",
      ],
      [
        "address-of-issuer",
        "A refused address of the issuer is told as one.",
        "if (error instanceof AddressRefused) throw refuseAddress(url, policy, error.addressClass);",
        "",
        "test/security/oauth.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/workspace/auth-entry.ts",
    [],
    [
      [
        "literal-client-secret",
        "No client secret in tools.json.",
        "if (!holdsTemplate(clientSecret)) {",
        'if (clientSecret === "") {',
        "src/workspace/auth-entry.test.ts",
      ],
      [
        "token-url-https",
        "Tokens are fetched over https.",
        'url.protocol !== "https:" && !(',
        "false && !(",
        "src/workspace/auth-entry.test.ts",
      ],
      [
        "template-in-token-url",
        "No template in the URL of an issuer.",
        '    ...checkTemplates(oauth2.tokenUrl, below(place, "tokenUrl")),\n',
        "",
        "src/workspace/auth-entry.test.ts",
      ],
    ],
  ),
];
