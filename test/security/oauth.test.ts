// OAuth 2 client credentials against an issuer of our own: who is asked how often, what goes where, and what nobody sees.
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseHostPattern } from "../../src/core/host-pattern.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { silentLog } from "../../src/core/log.ts";
import { Secret } from "../../src/core/secret.ts";
import type { CallEgress } from "../../src/egress/call-egress.ts";
import { createEgress, type EgressOptions } from "../../src/egress/egress.ts";
import { createTokenCache } from "../../src/engine/token-cache.ts";
import { parseBinding } from "../../src/secrets/binding.ts";
import { resolveCallSecrets } from "../../src/secrets/call-secrets.ts";
import { tokenRequestText } from "../../src/secrets/oauth-grant.ts";
import { type OAuthText, parseOAuthTemplate } from "../../src/secrets/oauth-template.ts";
import type { FoundSecret } from "../../src/secrets/vault.ts";
import { makeHome, openTestRuntime, storeSecret, type TestRuntime } from "../support/runtime.ts";
import { makeFolder } from "../support/workspace-folder.ts";
import { failure, loopbackDial, send, serve, stubDial, stubLookup } from "./egress-support.ts";

const ID = "client-0123456789:x";
const SECRET = "client-secret/+0123456789";
const TOKEN = "issued-token-";
/** RFC 6749, 2.3.1: both are form-encoded, then as RFC 7617 has it. */
const BASIC = `Basic ${Buffer.from(`${encodeURIComponent(ID)}:${encodeURIComponent(SECRET)}`).toString("base64")}`;

const FORMS = [TOKEN, SECRET, BASIC.slice("Basic ".length), ID].flatMap((text) => [
  text,
  Buffer.from(text)
    .toString("base64")
    .replace(/.{1,2}=*$/, ""),
]);

const SCRIPT = `async function main() {
  const last = await g.http.makeHttpRequest(g.tool.args);
  console.log("log", last.url, last.headers, last.body);
  return { status: last.status, url: last.url, headers: last.headers, body: last.body };
}
`;

interface Asked {
  readonly authorization: string | undefined;
  readonly body: string;
}

/** What an issuer answers to its nth request, from 1; `"tokens"`: a new token each time. */
type Answers = "tokens" | ((count: number) => { readonly status: number; readonly body: string; readonly location?: string } | "nothing");

/** An issuer and an API on loopback; the API refuses tokens in `refused` and echoes what it got. */
async function servers(answers: Answers = "tokens", lifeSeconds: number | undefined = 3_600) {
  const asked: Asked[] = [];
  const seen: { readonly token: string; readonly method: string; readonly path: string; body: string }[] = [];
  const refused = new Set<string>();
  const issuer = await serve((request, response) => {
    void textOf(request).then((body) => {
      asked.push({ authorization: request.headers.authorization, body });
      const expires = lifeSeconds === undefined ? {} : { expires_in: lifeSeconds };
      const good = { status: 200, body: JSON.stringify({ access_token: TOKEN + asked.length, token_type: "bearer", ...expires }) };
      const answer = answers === "tokens" ? good : answers(asked.length);
      if (answer === "nothing") return;
      const location = "location" in answer ? { location: answer.location } : {};
      response.writeHead(answer.status, { "content-type": "application/json", ...location }).end(answer.body);
    });
  });
  const api = await serve((request, response) => {
    void textOf(request).then((body) => {
      const token = String(request.headers.authorization);
      seen.push({ token, method: request.method ?? "", path: request.url ?? "", body });
      const status = refused.has(token.replace("Bearer ", "")) ? 401 : 200;
      response.writeHead(status, { "x-echo": token }).end(`${token} ${Buffer.from(token).toString("base64")} ${SECRET}`);
    });
  });
  return { issuer: `http://127.0.0.1:${issuer.port}`, api: `http://127.0.0.1:${api.port}`, asked, seen, refused };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text;
}

interface Bench {
  readonly issuer: string;
  readonly api: string;
}

/** A runtime with one tool that has `auth`; both secrets are bound to issuer and API. */
async function runtimeWith({ issuer, api }: Bench): Promise<TestRuntime> {
  const auth = { oauth2: { tokenUrl: `${issuer}/token`, clientId: "{{ID}}", clientSecret: "{{SECRET}}" } };
  const tool = { name: "call", description: "Calls the API", script: "scripts/call.js", auth, allowedHosts: [hostOf(api)] };
  const root = makeFolder({ "tools.json": { tools: [tool] }, "scripts/call.js": SCRIPT });
  const home = makeHome();
  for (const [name, value] of [
    ["ID", ID],
    ["SECRET", SECRET],
  ] as const)
    await storeSecret({ root, home }, name, value, { hosts: [issuer, api] });
  return openTestRuntime(root, home);
}

interface DirectOptions {
  readonly oauth2?: Partial<OAuthText>;
  /** Where both secrets are bound to; default issuer and API. */
  readonly hosts?: readonly string[];
  /** What the tool may reach; default the API. */
  readonly allowed?: readonly string[];
  readonly header?: string;
  readonly requestsPerCall?: number;
  /** Longest time of a token request. */
  readonly issuerMs?: number;
  readonly network?: Pick<EgressOptions, "lookup" | "dial">;
}

/** The same without a sandbox: calls of one tool, with one token cache and a clock that the test sets. */
function callsOf({ issuer, api }: Bench, options: DirectOptions = {}) {
  const egress = createEgress({ log: silentLog, dial: loopbackDial, ...options.network });
  onTestFinished(() => egress[Symbol.asyncDispose]());
  const state = { nowMs: 1_000_000, secret: SECRET };
  const tokens = createTokenCache({
    now: () => state.nowMs,
    timeoutMs: options.issuerMs ?? 10_000,
    request: (grant, signal) => {
      const policy = { toolName: grant.tool, allowedHosts: grant.boundHosts, trusted: grant.trusted };
      return egress.requestToken({ url: grant.tokenUrl, policy, ...tokenRequestText(grant) }, signal);
    },
  });
  const { hosts = [issuer, api], allowed = [api], header } = options;
  const found = (value: string): FoundSecret => {
    const binding = parseBinding({ hosts, ...(header === undefined ? {} : { header }) });
    const patterns = binding.hosts.map((host) => parseHostPattern(host, { kind: "binding" }));
    return { kind: "found", scope: { kind: "workspace", id: "workspace-1" }, secret: new Secret(value), binding, hosts: patterns };
  };
  const text = { tokenUrl: `${issuer}/token?tenant=7`, clientId: "{{ID}}", clientSecret: "{{SECRET}}", clientAuth: "basic" as const };
  const auth = parseOAuthTemplate({ ...text, ...options.oauth2 });
  const open = async (agent = "default"): Promise<CallEgress> => {
    const resolve = async () => new Map([["ID", found(ID)] as const, ["SECRET", found(state.secret)] as const]);
    const services = { vault: { resolve }, workspace: { kind: "new" } as const, trustedGlobal: () => undefined };
    const naming = { agent: { agent, stored: new Map<string, string>() }, tokens };
    const secrets = await resolveCallSecrets({ tool: "call", headers: [], auth }, { ...services, ...naming });
    return egress.forCall({
      callId: "test",
      policy: {
        toolName: "call",
        allowedHosts: allowed.map((host) => parseHostPattern(hostOf(host), { kind: "allowed" })),
        trusted: (host) => allowed.map(hostOf).includes(host),
      },
      toolHeaders: secrets,
      limits: { ...defaultLimits(), requestsPerCall: options.requestsPerCall ?? 50 },
      remainingMs: () => 10_000,
    });
  };
  return { open, state };
}

function hostOf(base: string): string {
  return base.slice("http://".length);
}

function everythingSeen(runtime: TestRuntime, results: readonly unknown[]): string {
  const files = [runtime.root, runtime.home].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((file) => join(folder, file))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, "latin1")),
  );
  return JSON.stringify([results, runtime.logged, runtime.lines, files]);
}

test("fifty waiting calls make one token request, and nobody sees token, secret or client", async () => {
  const bench = await servers();
  const { open } = callsOf(bench, { oauth2: { scope: "read write" } });
  const calls = await Promise.all(Array.from({ length: 50 }, () => open()));
  const answers = await Promise.all(calls.map((call) => send(call, `${bench.api}/x`)));
  expect(bench.asked).toEqual([{ authorization: BASIC, body: "grant_type=client_credentials&scope=read+write" }]);
  expect(bench.seen.map(({ token }) => token)).toEqual(Array.from({ length: 50 }, () => `Bearer ${TOKEN}1`));
  // The API sent all of it back.
  expect(answers[0]?.headers["x-echo"]).toBe("[redacted]");
  for (const form of FORMS) expect(JSON.stringify(answers), form).not.toContain(form);
});

test("a tool with auth: the script sees no token, and it is in no log, file or result, also when it is renewed", async () => {
  const bench = await servers();
  const runtime = await runtimeWith(bench);
  const results = [await runtime.run("call", { url: `${bench.api}/x` })];
  bench.refused.add(`${TOKEN}1`);
  results.push(await runtime.run("call", { url: `${bench.api}/again`, method: "POST", body: "payload" }));
  expect(results).toMatchObject([
    { kind: "ok", value: { status: 200, headers: { "x-echo": "[redacted]" } } },
    { kind: "ok", value: { status: 200 } },
  ]);
  expect(bench.seen.map(({ token, method, body }) => [token, method, body])).toEqual([
    [`Bearer ${TOKEN}1`, "GET", ""],
    [`Bearer ${TOKEN}1`, "POST", "payload"],
    [`Bearer ${TOKEN}2`, "POST", "payload"],
  ]);
  // The repeat counts as a request.
  expect(runtime.logged.findLast((line) => line.includes('"requests":'))).toContain('"requests":2');
  const seen = everythingSeen(runtime, results);
  for (const form of FORMS) expect(seen, form).not.toContain(form);
});

test("the client can show itself in the body instead, which a binding to a header refuses", async () => {
  const bench = await servers();
  await send(await callsOf(bench, { oauth2: { clientAuth: "body" } }).open(), bench.api);
  const fields = Object.fromEntries(new URLSearchParams(bench.asked[0]?.body));
  const expected = { grant_type: "client_credentials", client_id: ID, client_secret: SECRET };
  expect([bench.asked[0]?.authorization, fields]).toEqual([undefined, expected]);
  const narrow = { header: "Authorization" };
  const refused = await failure(send(await callsOf(bench, { oauth2: { clientAuth: "body" }, ...narrow }).open(), bench.api));
  expect([refused.code, refused.message.includes("in the body of the token request")]).toEqual(["SECRET_HOST", true]);
  expect(bench.asked.length).toBe(1);
  await send(await callsOf(bench, narrow).open(), bench.api);
  expect(bench.asked[1]?.authorization).toBe(BASIC);
});

test("an API that refuses every token gets one repeat, and its answer goes to the script", async () => {
  const bench = await servers();
  const { open, state } = callsOf(bench);
  for (const number of [1, 2, 3]) bench.refused.add(TOKEN + number);
  const call = await open();
  expect([(await send(call, bench.api)).status, (await send(call, bench.api)).status]).toEqual([401, 401]);
  expect([bench.asked.length, bench.seen.map(({ token }) => token.at(-1))]).toEqual([2, ["1", "2", "2"]]);
  state.nowMs += 6_000;
  expect((await send(call, bench.api)).status).toBe(401);
  expect([bench.asked.length, call.figures().requests]).toEqual([3, 5]);
});

test("calls that are refused at once share the new token", async () => {
  const bench = await servers();
  const { open } = callsOf(bench);
  await send(await open(), bench.api);
  bench.refused.add(`${TOKEN}1`);
  const calls = await Promise.all(Array.from({ length: 10 }, () => open()));
  const answers = await Promise.all(calls.map((call) => send(call, bench.api)));
  expect([new Set(answers.map(({ status }) => status)), bench.asked.length]).toEqual([new Set([200]), 2]);
});

test("a repeat over the limit of requests is not made", async () => {
  const bench = await servers();
  bench.refused.add(`${TOKEN}1`);
  const error = await failure(send(await callsOf(bench, { requestsPerCall: 1 }).open(), bench.api));
  expect([error.code, bench.seen.length]).toEqual(["TOO_MANY_REQUESTS", 1]);
});

test("a token is renewed before its end, a replaced secret gets a new one, and agents have tokens of their own", async () => {
  const bench = await servers("tokens", 600);
  const { open, state } = callsOf(bench);
  const ask = async (agent?: string): Promise<number> => {
    await send(await open(agent), bench.api);
    return bench.asked.length;
  };
  const counts = [await ask()];
  state.nowMs += 530_000;
  counts.push(await ask());
  state.nowMs += 20_000;
  counts.push(await ask());
  state.secret = "replaced-secret-0123456789";
  counts.push(await ask(), await ask("ops"), await ask("ops"));
  expect(counts).toEqual([1, 1, 2, 3, 4, 4]);
  expect(bench.seen.map(({ token }) => token.at(-1))).toEqual(["1", "1", "2", "3", "4", "4"]);
});

test.each<[string, Answers, string]>([
  ["refuses the client", () => ({ status: 401, body: '{"error":"invalid_client","x":"canary"}' }), "it answered 401 (invalid_client)"],
  ["answers 400 with words of its own", () => ({ status: 400, body: '{"error":"canary"}' }), "it answered 400:"],
  ["answers garbage", () => ({ status: 200, body: "<html>canary" }), "its answer is no JSON object"],
  ["gives no token", () => ({ status: 200, body: '{"token":"canary"}' }), "its answer has no usable access_token"],
  ["gives a line break", () => ({ status: 200, body: '{"access_token":"canary\\r\\nHost: x"}' }), "its answer has no usable access_token"],
  [
    "gives one that is too long for a header",
    () => ({ status: 200, body: `{"access_token":"${"c".repeat(12_289)}"}` }),
    "its answer has no usable access_token",
  ],
  ["gives another type", () => ({ status: 200, body: '{"access_token":"canary","token_type":"mac"}' }), "its token is of another type"],
  ["redirects", () => ({ status: 307, body: "", location: "http://127.0.0.1:1/canary" }), "it redirects, which no token request"],
  ["answers without end", () => ({ status: 200, body: `"${"canary".repeat(20_000)}"` }), "its answer is over 64 KiB"],
])("an issuer that %s ends the request with AUTH_FAILED, and the API is sent nothing", async (_, answers, said) => {
  const bench = await servers(answers);
  const { open } = callsOf(bench);
  const errors = [await failure(send(await open(), bench.api)), await failure(send(await open(), bench.api))];
  for (const error of errors) {
    expect([error.code, error.message]).toEqual(["AUTH_FAILED", expect.stringContaining(said.replace(":", ""))]);
    expect(JSON.stringify([error.message, error.data, error.stack])).not.toMatch(/canary|tenant/);
    expect(error.cause).toBe(undefined);
  }
  // The second call does not ask again.
  expect([bench.asked.length, bench.seen]).toEqual([1, []]);
});

test("an issuer that is down, or silent beyond the time of the request, ends the request likewise", async () => {
  const { api, seen } = await servers();
  const down = await failure(send(await callsOf({ issuer: "http://127.0.0.1:1", api }).open(), api));
  expect([down.code, down.data]).toEqual(["AUTH_FAILED", { host: "127.0.0.1:1", reason: "ECONNREFUSED" }]);
  const silent = await servers(() => "nothing");
  const late = await failure(send(await callsOf(silent).open(), silent.api, { timeoutMs: 50 }));
  expect([late.code, late.data.reason]).toEqual(["NETWORK_ERROR", "TIMEOUT"]);
  const slow = await failure(send(await callsOf(silent, { issuerMs: 50 }).open(), silent.api));
  expect([slow.code, slow.data.reason]).toEqual(["AUTH_FAILED", "TIMEOUT"]);
  expect([seen, silent.seen]).toEqual([[], []]);
});

test("secrets that are not bound to both issuer and API go to neither, and a refused URL asks for no token", async () => {
  const bench = await servers();
  for (const hosts of [[bench.issuer], [bench.api]]) {
    expect((await failure(send(await callsOf(bench, { hosts }).open(), bench.api))).code).toBe("SECRET_HOST");
  }
  // Bound to it, but not among the hosts of the tool.
  const elsewhere = callsOf(bench, { hosts: [bench.issuer, bench.api, "https://other.example"] });
  const codes = [];
  for (const url of ["https://other.example/", "https://evil.example/", "http://169.254.169.254/", `${bench.issuer}/token`]) {
    codes.push((await failure(send(await elsewhere.open(), url))).code);
  }
  expect(codes).toEqual(["HOST_NOT_ALLOWED", "SECRET_HOST", "SECRET_HOST", "HOST_NOT_ALLOWED"]);
  expect([bench.asked, bench.seen]).toEqual([[], []]);
});

test("after a redirect to another origin the token stays behind, and a 401 from there asks for no new one", async () => {
  const bench = await servers();
  const tokens: string[] = [];
  const stranger = await serve((request, response) => {
    tokens.push(String(request.headers.authorization));
    response.writeHead(401).end();
  });
  const [first, second] = [await serve((_, response) => response.writeHead(302, { location: other }).end()), stranger].map(
    ({ port }) => `http://127.0.0.1:${port}`,
  );
  const other = `http://127.0.0.1:${stranger.port}/`;
  const api = first ?? "";
  const everywhere = [bench.issuer, api, second ?? ""];
  const { open } = callsOf({ issuer: bench.issuer, api }, { hosts: everywhere, allowed: everywhere });
  expect((await send(await open(), api)).status).toBe(401);
  expect([tokens, bench.asked.length]).toEqual([["undefined"], 1]);
});

test("an issuer is judged like every host: bound before it is looked up, and by the addresses that its name leads to", async () => {
  const { api, seen } = await servers();
  const codeOf = async (hosts: readonly string[], address: string) => {
    const { dial, dialed } = stubDial();
    const { lookup, asked } = stubLookup([address]);
    const { open } = callsOf({ issuer: "https://login.example.com", api }, { hosts, network: { lookup, dial } });
    return [(await failure(send(await open(), api))).code, asked.length, dialed.length];
  };
  const bound = ["https://login.example.com", api];
  expect(await codeOf([api], "93.184.215.14")).toEqual(["SECRET_HOST", 0, 0]);
  for (const address of ["10.0.0.7", "127.0.0.1", "169.254.169.254"])
    expect(await codeOf(bound, address)).toEqual(["HOST_NOT_ALLOWED", 1, 0]);
  // A public address is dialled, which the stand-in refuses.
  expect(await codeOf(bound, "93.184.215.14")).toEqual(["AUTH_FAILED", 1, 1]);
  expect(seen).toEqual([]);
});
