import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type SecretBench, secretBench } from "../../../../test/support/secret-cli.ts";

const VALUE = "canary-value-of-the-test";

async function set({ run }: SecretBench, name: string, ...options: readonly string[]): Promise<void> {
  const { code, stderr } = await run(["secrets", "set", name, ...options], VALUE);
  expect(code, stderr).toBe(0);
}

/** `CODE tool: what`, for each problem. */
async function problems({ run }: SecretBench, env = {}): Promise<readonly string[]> {
  const { stdout } = await run(["secrets", "check", "--json"], "", env);
  return JSON.parse(stdout).problems.map(
    ({ code, message, mend }: Readonly<Record<string, string>>) => `${code} ${message}${mend === undefined ? "" : ` | ${mend}`}`,
  );
}

const HINT = '   (or give it its own "hosts" in tools.json)';

test("check is content with templates that are stored and hosts that fit, and exits with 0", async () => {
  const bench = secretBench([
    { name: "exact", headers: { Authorization: "Bearer {{API_KEY}}" }, allowedHosts: ["api.example.com"] },
    { name: "anywhere", query: { key: "{{API_KEY}}" } },
    { name: "own-hosts", headers: { "X-Key": { value: "{{API_KEY}}", hosts: ["api.example.com"] } }, allowedHosts: ["other.example.com"] },
    { name: "wild", headers: { "X-Key": "{{WILD}}" }, allowedHosts: ["*.example.org", "a.example.org"] },
    { name: "path", headers: { "X-Key": "{{PATH_KEY}}" }, allowedHosts: ["files.example.com"] },
    { name: "here", headers: { "X-Key": "{{LOCAL}}" }, allowedHosts: ["localhost:8080"] },
  ]);
  await set(bench, "API_KEY", "--host", "api.example.com");
  await set(bench, "WILD", "--host", "*.example.org");
  await set(bench, "PATH_KEY", "--host", "https://files.example.com/v1", "--method", "PUT");
  await set(bench, "LOCAL", "--host", "http://localhost:8080");
  const { code, stdout, stderr } = await bench.run(["secrets", "check"]);
  expect([code, stdout, stderr]).toEqual([0, "4 secrets are named by 6 tools; each is stored and may go where it is sent.\n", ""]);
});

test("check tells each host and place where a secret may not go, with the command that allows a host", async () => {
  const oauth2 = { tokenUrl: "https://login.example.com/token", clientId: "app", clientSecret: "{{CLIENT}}" };
  const bench = secretBench([
    { name: "host", headers: { "X-Key": "{{API_KEY}}" }, allowedHosts: ["api.example.com", "b.example.com"] },
    { name: "wild", headers: { "X-Key": "{{API_KEY}}" }, allowedHosts: ["*.example.com"] },
    { name: "port", query: { key: "{{API_KEY}}" }, allowedHosts: ["api.example.com:8443"] },
    { name: "own", headers: { "X-Key": { value: "{{API_KEY}}", hosts: ["c.example.com"] } }, allowedHosts: ["api.example.com"] },
    { name: "two", headers: { A: "{{API_KEY}}", B: "{{FORMED}}" } },
    { name: "form", query: { key: "{{FORMED}}" }, allowedHosts: ["formed.example.com"] },
    { name: "auth", auth: { oauth2 }, allowedHosts: ["api.example.com"] },
    { name: "gone", headers: { "X-Key": "{{NOT_STORED}}" }, allowedHosts: ["api.example.com"] },
  ]);
  await set(bench, "API_KEY", "--host", "api.example.com");
  await set(bench, "FORMED", "--host", "formed.example.com", "--header", "B");
  await set(bench, "CLIENT", "--host", "api.example.com");
  const found = await problems(bench);
  const allow = (name: string, host: string): string => `toolyard secrets allow ${name} --host ${host}`;
  const line = (tool: string, place: string, name: string, host: string): string =>
    `SECRET_BINDING ${tool}: ${place} would carry ${name} to ${host}, and it is bound to ${name === "FORMED" ? "formed" : "api"}.example.com; such requests are refused | ${allow(name, host.includes("*") ? `'${host}'` : host)}`;
  expect(found).toEqual([
    `SECRET_MISSING gone: NOT_STORED is not stored, so its calls fail | toolyard secrets set NOT_STORED --host api.example.com`,
    line("host", "the header X-Key", "API_KEY", "b.example.com") + HINT,
    line("wild", "the header X-Key", "API_KEY", "*.example.com") + HINT,
    line("port", 'the query parameter "key"', "API_KEY", "api.example.com:8443") + HINT,
    line("own", "the header X-Key", "API_KEY", "c.example.com") + HINT,
    line("two", "the header A", "API_KEY", "formed.example.com") + HINT,
    line("two", "the header B", "FORMED", "api.example.com") + HINT,
    'SECRET_BINDING form: the query parameter "key" would carry FORMED and it may go only in the header b; such requests are refused',
    line("auth", "the header Authorization of the token request", "CLIENT", "login.example.com"),
  ]);
  const { code, stdout } = await bench.run(["secrets", "check"]);
  expect([code, stdout.split("\n").at(-2)]).toEqual([1, "4 secrets are named by 8 tools."]);
  const whole = JSON.parse((await bench.run(["check", "--json"])).stdout);
  expect(whole.problems.filter(({ code: one }: { readonly code: string }) => one === "SECRET_BINDING")).toHaveLength(8);
});

test("check looks names up as each agent has them, and asks for trust in global ones", async () => {
  const bench = secretBench([{ name: "one", headers: { "X-Key": "{{API_KEY}}" }, allowedHosts: ["api.example.com"] }]);
  bench.write({ "toolyard.json": { agents: [{ agentId: "support" }, { agentId: "ops", secrets: { API_KEY: "OPS_KEY" } }] } });
  await set(bench, "API_KEY", "--host", "api.example.com");
  await set(bench, "OPS_KEY", "--host", "ops.example.com", "--global");
  expect(await problems(bench)).toEqual([
    "SECRET_BINDING one: the header X-Key would carry API_KEY, which is OPS_KEY for agent ops, to api.example.com, and it is bound to ops.example.com; such requests are refused | toolyard secrets allow OPS_KEY --host api.example.com --global" +
      HINT,
    expect.stringMatching(/^NOT_TRUSTED one: nobody trusted this tool to send OPS_KEY .* \| toolyard trust$/),
  ]);
});

test("check tells the header, the form or the method of a secret that is bound to a path as well, not the path", async () => {
  const bench = secretBench([
    { name: "header", headers: { "X-Other": "k={{PB}}" }, allowedHosts: ["localhost:18501"] },
    { name: "form", headers: { "X-Key": "{{PB}}" }, allowedHosts: ["localhost:18501"] },
    { name: "query", query: { key: "{{PB}}" }, allowedHosts: ["localhost:18501"] },
    { name: "fine", headers: { "X-Key": "k={{PB}}" }, allowedHosts: ["localhost:18501"] },
  ]);
  await set(bench, "PB", "--host", "http://localhost:18501/v1", "--header", "X-Key", "--format", "k=%s");
  expect(await problems(bench)).toEqual([
    "SECRET_BINDING header: the header X-Other would carry PB and it may go only in the header x-key; such requests are refused",
    'SECRET_BINDING form: the header X-Key would carry PB in another form than "k=%s"; such requests are refused',
    'SECRET_BINDING query: the query parameter "key" would carry PB and it may go only in the header x-key; such requests are refused',
  ]);
});

test("what only one agent lacks is told by both names and by the agent, and its tools wait", async () => {
  const bench = secretBench([{ name: "one", headers: { "X-Key": "{{API_KEY}}" }, allowedHosts: ["api.example.com"] }]);
  const ops = { agentId: "ops", secrets: { API_KEY: "OPS_KEY", API_KYE: "OTHER" } };
  bench.write({ "toolyard.json": { prefix: "t_", agents: [{ agentId: "support" }, ops] } });
  await set(bench, "API_KEY", "--host", "api.example.com");
  const told = [
    "SECRET_MISSING t_one: API_KEY, which is OPS_KEY for agent ops, is not stored, so its calls for agent ops fail | toolyard secrets set OPS_KEY --host api.example.com",
    'SECRET_UNNAMED "secrets" of agent ops puts OTHER behind API_KYE, which no tool names, so it has no effect | Write the name that stands in tools.json, or remove the line.',
  ];
  expect(await problems(bench)).toEqual(told);
  const whole = JSON.parse((await bench.run(["check", "--json"])).stdout);
  expect(whole).toMatchObject({
    ready: [],
    waiting: ["t_one"],
    problems: [{ code: "SECRET_MISSING", tool: "t_one" }, { code: "SECRET_UNNAMED" }],
  });
  bench.write({ "toolyard.json": { agents: [{ agentId: "support" }, { agentId: "dev" }] } });
  await bench.run(["secrets", "remove", "API_KEY"]);
  expect(await problems(bench)).toEqual([
    "SECRET_MISSING one: API_KEY is not stored, so its calls fail | toolyard secrets set API_KEY --host api.example.com",
  ]);
});

test("check tells a user name for Basic that no request can carry, by both of its names", async () => {
  const basic = (user: string) => ({ headers: { Authorization: `{{basic ${user} PASS}}` }, allowedHosts: ["api.example.com"] });
  const bench = secretBench([
    { name: "one", ...basic("USER") },
    { name: "two", ...basic("PASS") },
  ]);
  bench.write({ "toolyard.json": { agents: [{ agentId: "a" }, { agentId: "b" }, { agentId: "ops", secrets: { USER: "OPS_USER" } }] } });
  const values = { USER: "user-name-0123456", OPS_USER: "tenant:user-0123456", PASS: "pass:word-0123456" };
  for (const [name, value] of Object.entries(values)) await bench.run(["secrets", "set", name, "--host", "api.example.com"], value);
  const told = (tool: string, label: string): string =>
    `SECRET_VALUE ${tool}: the header Authorization takes ${label} as the user name for "Basic", and its value has a colon, which would end it early; such requests fail`;
  expect(await problems(bench)).toEqual([told("one", "USER, which is OPS_USER for agent ops,"), told("two", "PASS")]);
  const { stdout, stderr } = await bench.run(["secrets", "check"]);
  expect(stdout + stderr).not.toMatch(/tenant|pass:/);
});

test("check says that the vault is locked, and what of the workspace it could not look at", async () => {
  const bench = secretBench([{ name: "one", headers: { "X-Key": "{{API_KEY}}" } }]);
  await set(bench, "API_KEY", "--host", "api.example.com");
  bench.write({ "a.js": "async function main( {" });
  expect((await problems(bench))[0]).toMatch(/^SYNTAX /);
  bench.write({ "a.js": "async function main() {}" });
  await bench.run(["secrets", "rekey", "--to", "passphrase"], "correct horse battery\n");
  const locked = await bench.run(["secrets", "check"]);
  expect([locked.code, locked.stderr]).toEqual([1, expect.stringMatching(/^VAULT_LOCKED /)]);
});

test("list tells age, last use and the tools that name a secret, after a call with values from a folder of secrets", async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers["x-key"]);
    response.end("fine");
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${Object(server.address()).port}`;
  const bench = secretBench([
    { name: "ask", script: "ask.js", headers: { "X-Key": "{{API_KEY}}" }, allowedHosts: [host] },
    { name: "sign", query: { key: "{{API_KEY}}" }, auth: undefined },
  ]);
  bench.write({ "ask.js": `async function main() { return (await fetch("http://${host}/")).text(); }\n` });
  await set(bench, "API_KEY", "--host", `http://${host}`);
  await set(bench, "UNUSED", "--host", "api.example.com");
  await set(bench, "API_KEY", "--host", "api.example.com", "--global");
  const dir = join(bench.home, "mounted");
  mkdirSync(dir, { mode: 0o755 });
  writeFileSync(join(dir, "API_KEY"), "mounted-value-of-the-test\n", { mode: 0o444 });
  expect((await bench.run(["run", "ask"])).stdout).toBe("fine\n");
  expect((await bench.run(["run", "ask", "--secrets-dir", dir])).stdout).toBe("fine\n");
  expect(seen).toEqual([VALUE, "mounted-value-of-the-test"]);
  const today = new Date().toISOString().slice(0, 10);
  const { stdout } = await bench.run(["secrets", "list"]);
  expect(stdout.replaceAll(today, "DAY").split("\n")).toEqual([
    `API_KEY  this workspace  → http://${host}`,
    "         set DAY, last used DAY; for ask, sign",
    "UNUSED   this workspace  → https://api.example.com",
    "         set DAY, not used yet; no tool names it",
    "API_KEY  all workspaces  → https://api.example.com",
    "         set DAY, not used yet; no tool names it",
    "",
  ]);
  const { secrets } = JSON.parse((await bench.run(["secrets", "list", "--json"])).stdout);
  expect(secrets[0]).toMatchObject({ name: "API_KEY", tools: ["ask", "sign"], lastUsedAt: expect.stringContaining(today) });
  const global = JSON.parse((await bench.run(["secrets", "list", "--json", "--global"])).stdout).secrets;
  expect(Object.keys(global[0])).toEqual(["name", "scope", "hosts", "setAt"]);
  const missing = await bench.run(["run", "ask", "--secrets-dir", "missing"]);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/^STORE_ERROR {2}--secrets-dir: /)]);
});
