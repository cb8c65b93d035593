import { expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { createReadingMemory, parseToolsFile } from "./tools-file.ts";

const PLACE = 'A secret stands here by its template, but only "headers", "query" and "auth" are filled in; scripts never get secrets.';

function oauth(more: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const oauth2 = { tokenUrl: "https://login.example.com/token", clientId: "me", clientSecret: "{{CLIENT_SECRET}}", ...more };
  return { auth: { oauth2 } };
}

/** Findings of one tool with these fields; of a host only the code, since its text is the matcher's. */
function problemsOf(more: Readonly<Record<string, unknown>>): readonly string[] {
  const base = defaultLimits();
  const tool = { name: "a", description: "Does a.", script: "a.js", ...more };
  const outcome = parseToolsFile(JSON.stringify({ tools: [tool] }), { base, own: base, memory: createReadingMemory() });
  const problems = outcome.kind === "good" ? outcome.value.entries.flatMap((entry) => entry.problems) : outcome.problems;
  return problems.map(({ code, severity, message }) =>
    code === "HOST_PATTERN" ? `${code} ${severity}` : `${code} ${severity} ${message}`,
  );
}

test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
  ["a template in the name of a parameter", { query: { "{{KEY}}": "x" } }, [`TEMPLATE_PLACE error ${PLACE}`]],
  ["a parameter that is a number", { query: { page: 5 } }, ['INVALID_VALUE error "query.page" must be text.']],
  ["a bad host of a parameter", { query: { key: { value: "b", hosts: ["a b"] } } }, ["HOST_PATTERN error"]],
  [
    "a key of a parameter that is not known",
    { query: { key: { value: "b", host: "a" } } },
    ['UNKNOWN_KEY warning "host" is not a key here; did you mean "hosts"?'],
  ],
  [
    "auth of another kind",
    { auth: { basic: {} } },
    [
      'MISSING_KEY error "auth.oauth2" is missing; expected an object with tokenUrl, clientId and clientSecret.',
      'UNKNOWN_KEY warning "basic" is not a key here; it is ignored.',
    ],
  ],
  [
    "auth without a client",
    { auth: { oauth2: { tokenUrl: "https://login.example.com/" } } },
    [
      'MISSING_KEY error "auth.oauth2.clientId" is missing; expected text.',
      'MISSING_KEY error "auth.oauth2.clientSecret" is missing; expected text.',
    ],
  ],
  [
    "a client secret in the file",
    oauth({ clientSecret: "sk-live-0123456789" }),
    ['INVALID_VALUE error "clientSecret" must name a stored secret, such as "{{CLIENT_SECRET}}"; its value never stands in this file.'],
  ],
  [
    "a token over plain http",
    oauth({ tokenUrl: "http://login.example.com/" }),
    ['INVALID_VALUE error "tokenUrl" must begin with "https://"; "http://" goes to this machine only.'],
  ],
  ["a token of this machine over plain http", oauth({ tokenUrl: "http://localhost:8080/" }), []],
  [
    "a token URL that is none",
    oauth({ tokenUrl: "login.example.com" }),
    ['INVALID_VALUE error "tokenUrl" must be a whole URL, such as "https://login.example.com/oauth/token".'],
  ],
  [
    "a password in the token URL",
    oauth({ tokenUrl: "https://a:b@login.example.com/" }),
    ['INVALID_VALUE error "tokenUrl" must not hold a user name or password.'],
  ],
  [
    "a fragment in the token URL",
    oauth({ tokenUrl: "https://login.example.com/#a" }),
    ['INVALID_VALUE error "tokenUrl" must not have a part behind "#".'],
  ],
  ["a template in the token URL", oauth({ tokenUrl: "https://login.example.com/{{KEY}}" }), [`TEMPLATE_PLACE error ${PLACE}`]],
  ["a template in the scope", oauth({ scope: "{{SCOPE}}" }), [`TEMPLATE_PLACE error ${PLACE}`]],
  ["a scope of two lines", oauth({ scope: "a\nb" }), ['INVALID_VALUE error "auth.oauth2.scope" must be words with a blank between them.']],
  [
    "another way to show the client",
    oauth({ clientAuth: "jwt" }),
    ['INVALID_VALUE error "auth.oauth2.clientAuth" must be "basic" or "body".'],
  ],
  ["a bad host of a token", oauth({ hosts: ["a b"] }), ["HOST_PATTERN error"]],
])("%s", (_name, more, problems) => {
  expect(problemsOf(more)).toEqual(problems);
});
