import { expect, test } from "vitest";
import { BEARER, found, headersOf, resolve, services, shown, TOKEN, TRUSTED } from "../../test/support/call-secrets.ts";
import { ToolError } from "../core/errors.ts";
import { hostPatternText } from "../core/host-pattern.ts";
import { resolveCallSecrets } from "./call-secrets.ts";
import { parseHeaderTemplate } from "./header-template.ts";

test("a header with a secret goes to the host it is bound to, a header without one everywhere", async () => {
  const secrets = await resolve([BEARER, { name: "Accept", value: "application/json" }], { TOKEN });
  expect(shown(headersOf(secrets, new URL("https://api.example.com/x?y"), TRUSTED))).toEqual({
    Authorization: "secret Bearer token-value",
    Accept: "plain application/json",
  });
  expect(secrets.boundHosts?.map(hostPatternText)).toEqual(["api.example.com"]);
  expect([secrets.names, [...secrets.exclusiveHeaders]]).toEqual([["TOKEN"], []]);
});

test.each([
  ["another host", "https://evil.example/?q=private"],
  ["the host as user information", "https://api.example.com@evil.example/"],
  ["a host below", "https://x.api.example.com/"],
  ["the host as the beginning of another", "https://api.example.com.evil.example/"],
  ["another port", "https://api.example.com:8443/"],
  ["plain http", "http://api.example.com/"],
])("%s ends with SECRET_HOST, and nothing counts as sent", async (_, url) => {
  const secrets = await resolve([BEARER], { TOKEN });
  const attempt = (): unknown => headersOf(secrets, new URL(url), TRUSTED);
  expect(attempt).toThrow(expect.objectContaining({ code: "SECRET_HOST" }));
  expect(attempt).not.toThrow(/token-value|private/);
  expect(secrets.sent()).toEqual([]);
});

test("a header with hosts of its own goes to these and is left out elsewhere", async () => {
  const other = found("other-value", { hosts: ["b.example.com"] });
  const headers = [
    { ...BEARER, hosts: ["api.example.com"] },
    { name: "X-Key", value: "<<OTHER>>", hosts: ["b.example.com"] },
    { name: "X-Plain", value: "p", hosts: ["b.example.com"] },
  ];
  const secrets = await resolve(headers, { TOKEN, OTHER: other });
  expect(shown(headersOf(secrets, new URL("https://api.example.com/"), TRUSTED))).toEqual({ Authorization: "secret Bearer token-value" });
  expect(secrets.sent().map((secret) => secret.reveal())).toEqual(["token-value", "Bearer token-value"]);
  expect(shown(headersOf(secrets, new URL("https://b.example.com/"), TRUSTED))).toEqual({
    "X-Key": "secret other-value",
    "X-Plain": "plain p",
  });
  expect(shown(headersOf(secrets, new URL("https://c.example.com/"), TRUSTED))).toEqual({});
});

test("a header's own hosts cannot widen where its secret may go, and plain http is refused instead of sent without it", async () => {
  const secrets = await resolve([{ ...BEARER, hosts: ["evil.example", "api.example.com"] }], { TOKEN });
  for (const url of ["https://evil.example/", "http://api.example.com/"]) {
    expect(() => headersOf(secrets, new URL(url), TRUSTED), url).toThrow(expect.objectContaining({ code: "SECRET_HOST" }));
  }
});

test("two secrets bound to different hosts, in headers without hosts of their own, are refused at both", async () => {
  const secrets = await resolve([BEARER, { name: "X-Key", value: "<<OTHER>>" }], {
    TOKEN,
    OTHER: found("other-value", { hosts: ["b.example.com"] }),
  });
  for (const host of ["api.example.com", "b.example.com"]) {
    expect(() => headersOf(secrets, new URL(`https://${host}/`), TRUSTED)).toThrow(expect.objectContaining({ code: "SECRET_HOST" }));
  }
});

test("after a redirect to another origin only headers without secrets go along", async () => {
  const secrets = await resolve([BEARER, { name: "Accept", value: "text/html" }], { TOKEN });
  for (const url of ["https://evil.example/", "https://api.example.com/"]) {
    expect(shown(headersOf(secrets, new URL(url), { allowSecrets: false }))).toEqual({ Accept: "plain text/html" });
  }
});

test("a binding's header, format and methods are demanded too", async () => {
  const narrow = found("token-value", { hosts: ["api.example.com"], header: "authorization", format: "Bearer %s", methods: ["GET"] });
  const url = new URL("https://api.example.com/");
  const secrets = await resolve([BEARER], { TOKEN: narrow });
  expect(headersOf(secrets, url, TRUSTED).size).toBe(1);
  expect(() => headersOf(secrets, url, { allowSecrets: true, method: "DELETE" })).toThrow(expect.objectContaining({ code: "SECRET_HOST" }));
  expect(() => headersOf(secrets, url, { allowSecrets: true })).toThrow(expect.objectContaining({ code: "SECRET_HOST" }));
  // Methods are case-sensitive: "get" is what is sent, and no GET.
  expect(() => headersOf(secrets, url, { allowSecrets: true, method: "get" })).toThrow(
    expect.objectContaining({ code: "SECRET_HOST", message: expect.stringContaining(" with get; it may go only with GET.") }),
  );
  for (const header of [
    { name: "X-Other", value: "Bearer {{TOKEN}}" },
    { name: "Authorization", value: "{{TOKEN}}" },
    { name: "Authorization", value: "Bearer {{TOKEN}}{{TOKEN}}" },
  ]) {
    const other = await resolve([header], { TOKEN: narrow });
    expect(() => headersOf(other, url, TRUSTED)).toThrow(expect.objectContaining({ code: "SECRET_HOST" }));
  }
});

test.each([
  ["methods", "X-HTTP-Method-Override", { methods: ["GET"] }],
  ["methods", "x_method_override", { methods: ["GET"] }],
  ["a path", "X-Original-URL", { hosts: ["https://api.example.com/v1"] }],
  ["a path", "x-forwarded-prefix", { hosts: ["https://api.example.com/v1"] }],
  ["a path", "Forwarded", { hosts: ["https://api.example.com/v1"] }],
  ["a path", "Destination", { hosts: ["https://api.example.com/v1"] }],
])("a secret that is bound to %s does not go beside %s, set by the script or by tools.json", async (_part, name, narrow) => {
  const url = new URL("https://api.example.com/v1/x");
  const refused = expect.objectContaining({
    code: "SECRET_HOST",
    message: expect.stringContaining(`beside the header "${name}", by which`),
  });
  const narrowed = { TOKEN: found("token-value", { hosts: ["api.example.com"], ...narrow }) };
  const secrets = await resolve([BEARER], narrowed);
  expect(() => headersOf(secrets, url, { ...TRUSTED, headerNames: ["accept", name] })).toThrow(refused);
  const bySettings = await resolve([BEARER, { name, value: "x" }], narrowed);
  expect(() => headersOf(bySettings, url, TRUSTED)).toThrow(refused);
  expect([secrets.sent(), bySettings.sent()]).toEqual([[], []]);
  // One that is bound to the host alone loses nothing by it.
  const open = await resolve([BEARER], { TOKEN });
  expect(headersOf(open, url, { ...TRUSTED, headerNames: [name] }).size).toBe(1);
});

test("a secret that is bound to methods goes beside a header for the path, and the other way round", async () => {
  const url = new URL("https://api.example.com/v1/x");
  const byMethod = await resolve([BEARER], { TOKEN: found("token-value", { hosts: ["api.example.com"], methods: ["GET"] }) });
  expect(headersOf(byMethod, url, { ...TRUSTED, headerNames: ["x-original-url"] }).size).toBe(1);
  const byPath = await resolve([BEARER], { TOKEN: found("token-value", { hosts: ["https://api.example.com/v1"] }) });
  expect(headersOf(byPath, url, { ...TRUSTED, headerNames: ["x-http-method-override"] }).size).toBe(1);
});

test("a path in a binding is a border between two tenants of one host", async () => {
  const secrets = await resolve([BEARER], { TOKEN: found("token-value", { hosts: ["https://api.example.com/v1/*"] }) });
  expect(headersOf(secrets, new URL("https://api.example.com/v1/x"), TRUSTED).size).toBe(1);
  for (const path of ["/v2", "/v1/../v2", "/v1%2f..%2fv2", "/v1x", "//v1/x"]) {
    expect(() => headersOf(secrets, new URL(`https://api.example.com${path}`), TRUSTED), path).toThrow(
      expect.objectContaining({ code: "SECRET_HOST" }),
    );
  }
});

test("plain http is possible toward this machine, where a person wrote it so", async () => {
  const secrets = await resolve([BEARER], { TOKEN: found("token-value", { hosts: ["http://localhost:8080"] }) });
  expect(headersOf(secrets, new URL("http://localhost:8080/"), TRUSTED).size).toBe(1);
  expect(() => headersOf(secrets, new URL("http://localhost:8081/"), TRUSTED)).toThrow(expect.objectContaining({ code: "SECRET_HOST" }));
});

test("a binding of this workspace is trust in its private host, a global secret's is not", async () => {
  const binding = { hosts: ["https://git.corp.lan:8443", "http://127.0.0.1:9000", "api.example.com"] };
  const own = await resolve([BEARER], { TOKEN: found("token-value", binding) });
  expect(["git.corp.lan:8443", "127.0.0.1:9000", "api.example.com:443", "git.corp.lan:443"].map((host) => own.trustsHost(host))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const global = await resolve([BEARER], { TOKEN: found("token-value", binding, { kind: "global" }) });
  expect(global.trustsHost("git.corp.lan:8443")).toBe(false);
  // Nobody has named one of these hosts, nor the one behind the asterisk.
  const wide = await resolve([BEARER], { TOKEN: found("token-value", { hosts: ["*.example.com:8443"] }) });
  expect(["example.com:8443", "a.example.com:8443"].map((host) => wide.trustsHost(host))).toEqual([false, false]);
});

test("missing secrets end the call before it starts, with the commands to run", async () => {
  const error = await resolveCallSecrets(
    {
      tool: "fetch-api-data",
      headers: [
        { name: "Authorization", value: "Bearer {{API_TOKEN}}" },
        { name: "X-Api-Key", value: "<<API_KEY>>" },
      ].map(parseHeaderTemplate),
      hostsToShow: [],
    },
    services({}),
  ).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolError);
  expect(error).toMatchObject({
    code: "SECRET_MISSING",
    message: [
      "fetch-api-data needs API_TOKEN and API_KEY, which are not stored. Nothing was sent.",
      "  toolyard secrets set API_TOKEN --host HOST",
      "  toolyard secrets set API_KEY --host HOST     # the host of your API",
    ].join("\n"),
    data: { missing: ["API_TOKEN", "API_KEY"] },
  });
});

test("the command names the tool's hosts where they are known", async () => {
  const tool = { tool: "github-issues", headers: [parseHeaderTemplate(BEARER)], hostsToShow: ["api.github.com"] };
  await expect(resolveCallSecrets(tool, services({}))).rejects.toMatchObject({
    data: { commands: ["toolyard secrets set TOKEN --host api.github.com"] },
  });
});

test("the command names only the hosts that the secret's own headers go to, and http toward this machine", async () => {
  const headers = [
    { name: "X-Key", value: "{{TOKEN}}", hosts: ["api.example.com"] },
    { name: "X-Other", value: "{{OTHER}}" },
  ].map(parseHeaderTemplate);
  const tool = { tool: "two", headers, hostsToShow: ["api.example.com", "127.0.0.1:8080"] };
  await expect(resolveCallSecrets(tool, services({}))).rejects.toMatchObject({
    data: {
      commands: [
        "toolyard secrets set TOKEN --host api.example.com",
        "toolyard secrets set OTHER --host api.example.com --host http://127.0.0.1:8080",
      ],
    },
  });
});

test("a moved workspace and a global secret nobody trusted are NOT_TRUSTED; tools without secrets do not care", async () => {
  const tool = { tool: "t", headers: [parseHeaderTemplate(BEARER)] };
  await expect(resolveCallSecrets(tool, services({ TOKEN }, { kind: "moved" }))).rejects.toMatchObject({ code: "NOT_TRUSTED" });
  const untrusted = services({ TOKEN: { kind: "untrusted", binding: { hosts: ["api.example.com"] } } });
  await expect(resolveCallSecrets(tool, untrusted)).rejects.toMatchObject({ code: "NOT_TRUSTED" });
  const plain = await resolveCallSecrets(
    { tool: "t", headers: [parseHeaderTemplate({ name: "Accept", value: "a/b" })] },
    services({}, { kind: "moved" }),
  );
  expect([plain.boundHosts, headersOf(plain, new URL("http://x.example/"), TRUSTED).size]).toEqual([undefined, 1]);
});

test("names of headers that a script must not set are given in lower case", async () => {
  const secrets = await resolve(
    [
      { ...BEARER, replaceExisting: false },
      { name: "Accept", value: "a/b" },
    ],
    { TOKEN },
  );
  expect([...secrets.exclusiveHeaders]).toEqual(["authorization"]);
});

test("headers that frame or route a request cannot be set from tools.json", () => {
  for (const name of ["Host", "content-length", "Transfer-Encoding", "Connection", "Proxy-Authorization", "TE", "Upgrade", "a b", ""]) {
    expect(() => parseHeaderTemplate({ name, value: "x" }), name).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  }
});
