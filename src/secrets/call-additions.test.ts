import { expect, test } from "vitest";
import { BEARER, found, HERE, headersOf, resolve, services, shown, TOKEN, TRUSTED } from "../../test/support/call-secrets.ts";
import { ToolError } from "../core/errors.ts";
import { hostPatternText } from "../core/host-pattern.ts";
import { Secret } from "../core/secret.ts";
import type { Binding } from "./binding.ts";
import { type CallSecrets, resolveCallSecrets, type SecretServices, type ToolSecrets } from "./call-secrets.ts";
import { parseHeaderTemplate, parseQueryTemplate } from "./header-template.ts";
import type { TokenGrant, TokenSource } from "./oauth-grant.ts";
import { parseOAuthTemplate } from "./oauth-template.ts";

const MAPS = { query: [parseQueryTemplate({ name: "key", value: "{{TOKEN}}" }), parseQueryTemplate({ name: "v", value: "3" })] };
const URL_OF_API = new URL("https://api.example.com/");

function resolveTool(tool: Omit<ToolSecrets, "tool">, more: Partial<SecretServices>): Promise<CallSecrets> {
  return resolveCallSecrets({ tool: "t", ...tool }, { ...services({ TOKEN }), ...more });
}

test("a query parameter with a secret goes where it is bound to, one without everywhere, and the value counts as sent", async () => {
  const secrets = await resolveTool({ headers: [], ...MAPS }, {});
  const { headers, query } = secrets.prepare(URL_OF_API, TRUSTED);
  expect([shown(headers), shown(query)]).toEqual([{}, { key: "secret token-value", v: "plain 3" }]);
  expect(secrets.sent().map((secret) => secret.reveal())).toEqual(["token-value"]);
  expect(shown(secrets.prepare(URL_OF_API, { ...TRUSTED, allowSecrets: false }).query)).toEqual({ v: "plain 3" });
  expect(() => secrets.prepare(new URL("https://other.example/"), TRUSTED)).toThrow(expect.objectContaining({ code: "SECRET_HOST" }));
});

test.each<[string, Partial<Binding>, string]>([
  ["a header", { header: "X-Api-Key" }, 'in the query parameter "key"; it may go only in the header x-api-key.'],
  ["another form", { format: "Bearer %s" }, 'in another form than it may have in the query parameter "key", "Bearer %s".'],
  ["another method", { methods: ["POST"] }, "with GET; it may go only with POST."],
  ["another host", { hosts: ["other.example"] }, "which is bound to https://other.example:443."],
])("a secret bound to %s goes into no query, and nothing counts as sent", async (_, narrow, said) => {
  const table = { TOKEN: found("token-value", { hosts: ["api.example.com"], ...narrow }) };
  const secrets = await resolveCallSecrets({ tool: "t", headers: [], ...MAPS }, services(table));
  const attempt = (): unknown => secrets.prepare(URL_OF_API, TRUSTED);
  expect(attempt).toThrow(expect.objectContaining({ code: "SECRET_HOST", message: expect.stringContaining(said) }));
  expect(secrets.sent()).toEqual([]);
});

test("what is refused for its query sent nothing, though its header was right", async () => {
  const table = { TOKEN, OTHER: found("other-value", { hosts: ["other.example"] }) };
  const query = [parseQueryTemplate({ name: "key", value: "{{OTHER}}" })];
  const secrets = await resolveCallSecrets({ tool: "t", headers: [parseHeaderTemplate(BEARER)], query }, services(table));
  expect(() => secrets.prepare(URL_OF_API, TRUSTED)).toThrow(expect.objectContaining({ code: "SECRET_HOST" }));
  expect(secrets.sent()).toEqual([]);
});

test("two secrets make Basic credentials; both and the whole count as sent, and a binding may demand the form", async () => {
  const bound = { hosts: ["api.example.com"], header: "Authorization", format: "Basic %s" };
  const headers = [{ name: "Authorization", value: "{{basic USER PASS}}" }];
  const secrets = await resolve(headers, { USER: found("Aladdin", bound), PASS: found("open sesame", bound) });
  // The example of RFC 7617, 2.
  const whole = "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==";
  expect(shown(headersOf(secrets, URL_OF_API, TRUSTED))).toEqual({ Authorization: `secret ${whole}` });
  expect(secrets.sent().map((secret) => secret.reveal())).toEqual(["Aladdin", "open sesame", whole]);
  const narrow = await resolve(headers, { USER: found("Aladdin", bound), PASS: found("open sesame", { ...bound, format: "Bearer %s" }) });
  expect(() => headersOf(narrow, URL_OF_API, TRUSTED)).toThrow(expect.objectContaining({ code: "SECRET_HOST" }));
});

test("a user name with a colon ends the call, and its value is in no message", async () => {
  const attempt = resolve([{ name: "Authorization", value: "{{basic USER PASS}}" }], {
    ...{ USER: found("user:name-0123", { hosts: ["api.example.com"] }), PASS: TOKEN },
  });
  await expect(attempt).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(attempt).rejects.not.toThrow(/name-0123/);
});

test("an agent's own secret stands behind the name, and messages say both", async () => {
  const table = { TOKEN, TEAM_KEY: found("team-value", { hosts: ["api.example.com"] }) };
  const agent = { agent: "ops", stored: new Map([["TOKEN", "TEAM_KEY"]]) };
  const used: unknown[] = [];
  const more = { ...services(table), agent, used: (secrets: readonly unknown[]) => void used.push(...secrets) };
  const secrets = await resolveCallSecrets({ tool: "t", headers: [parseHeaderTemplate(BEARER)] }, more);
  expect(shown(headersOf(secrets, URL_OF_API, TRUSTED))).toEqual({ Authorization: "secret Bearer team-value" });
  expect([secrets.names, used]).toEqual([["TEAM_KEY"], [{ scope: HERE, name: "TEAM_KEY" }]]);
  expect(() => headersOf(secrets, new URL("https://other.example/"), TRUSTED)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("would carry TOKEN, which is TEAM_KEY for agent ops, which is bound to"),
      data: { secret: "TEAM_KEY", host: "other.example:443", commands: ["toolyard secrets allow TEAM_KEY --host other.example"] },
    }),
  );
  const missing = resolveCallSecrets({ tool: "t", headers: [parseHeaderTemplate(BEARER)] }, { ...services({ TOKEN }), agent });
  await expect(missing).rejects.toMatchObject({
    message: expect.stringContaining("t needs TOKEN, which is TEAM_KEY for agent ops, which is not stored."),
    data: { missing: ["TEAM_KEY"], commands: ["toolyard secrets set TEAM_KEY --host HOST"] },
  });
});

test("a missing client secret names the issuer's host, and asks for that of the API", async () => {
  const auth = parseOAuthTemplate({
    ...{ tokenUrl: "https://login.example.com/token", clientId: "me", clientSecret: "{{CLIENT}}", clientAuth: "basic" },
  });
  const command = async (more: Partial<ToolSecrets>): Promise<unknown> =>
    resolveCallSecrets({ tool: "t", headers: [], auth, ...more }, services({})).catch((error: unknown) =>
      error instanceof ToolError ? error.data.commands : error,
    );
  expect(await command({})).toEqual(["toolyard secrets set CLIENT --host login.example.com --host HOST"]);
  expect(await command({ hostsToShow: ["api.example.com"] })).toEqual([
    "toolyard secrets set CLIENT --host login.example.com --host api.example.com",
  ]);
});

test("what a token is got with, the whole of it and the token count as sent, once there is one; its own hosts are the only ones", async () => {
  const auth = parseOAuthTemplate({
    ...{ tokenUrl: "https://api.example.com/token", clientId: "me:too", clientSecret: "{{TOKEN}}", clientAuth: "basic" },
    hosts: ["api.example.com"],
  });
  const asked: TokenGrant[] = [];
  const tokens: TokenSource = {
    get: async (grant) => {
      asked.push(grant);
      return new Secret("issued-1");
    },
    renew: async () => new Secret("issued-2"),
  };
  const secrets = await resolveTool({ headers: [], auth }, { tokens });
  const signal = new AbortController().signal;
  const { token } = secrets.prepare(URL_OF_API, TRUSTED);
  expect(secrets.sent()).toEqual([]);
  const issued = await token?.get(signal);
  if (issued === undefined) throw new Error("no token");
  await token?.renew(issued, signal);
  const basic = `Basic ${Buffer.from("me%3Atoo:token-value").toString("base64")}`;
  expect(secrets.sent().map((secret) => secret.reveal())).toEqual([
    ...["token-value", basic, "issued-1", "Bearer issued-1", "issued-2", "Bearer issued-2"],
  ]);
  expect(asked.map(({ tool, agent, boundHosts }) => [tool, agent, boundHosts.map(hostPatternText)])).toEqual([
    ["t", "", ["api.example.com"]],
  ]);
  expect(secrets.prepare(new URL("https://other.example/"), TRUSTED).token).toBe(undefined);
  expect(secrets.prepare(URL_OF_API, { ...TRUSTED, allowSecrets: false }).token).toBe(undefined);
  const without = (await resolveTool({ headers: [], auth }, {})).prepare(URL_OF_API, TRUSTED).token;
  await expect(without?.get(signal)).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

test("a refusal for a token names every secret that does not fit, at the issuer and at the API, with the commands for all", async () => {
  const auth = parseOAuthTemplate({
    tokenUrl: "https://login.example.com/token",
    clientId: "{{ID}}",
    clientSecret: "{{SECRET}}",
    clientAuth: "basic",
  });
  const table = {
    ID: found("id-value", { hosts: ["a.example"] }),
    SECRET: found("secret-value", { hosts: ["b.example", "login.example.com"] }),
  };
  const secrets = await resolveCallSecrets({ tool: "t", headers: [], auth }, services(table));
  const commands = [
    "toolyard secrets allow ID --host login.example.com",
    "toolyard secrets allow ID --host api.example.com",
    "toolyard secrets allow SECRET --host api.example.com",
  ];
  expect(() => secrets.prepare(URL_OF_API, TRUSTED)).toThrow(
    expect.objectContaining({
      code: "SECRET_HOST",
      data: { secret: "ID", host: "login.example.com:443", commands },
      message: [
        "t: the request to https://login.example.com:443 would carry ID, which is bound to https://a.example:443. Also, the request to https://api.example.com:443 would carry ID, which is bound to https://a.example:443; and SECRET, which is bound to https://b.example:443, https://login.example.com:443. Nothing was sent. Only if that host is meant to have it, allow it; the value is asked for again:",
        ...commands.map((command) => `  ${command}`),
        'If only some headers or parameters belong there, give each its "hosts" in tools.json.',
      ].join("\n"),
    }),
  );
  expect(secrets.sent()).toEqual([]);
});
