import { once } from "node:events";
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { type CliBench, type CliChild, type CliRun, childrenOf, finished, isAlive, makeBench } from "./cli-process.ts";

const cli = inject("installedCli");

const TOOLS = {
  tools: [
    {
      name: "echo",
      description: "Gives its arguments back",
      script: "echo.js",
      parameters: { type: "object", properties: { text: { type: "string" } } },
    },
    { name: "waits", description: "Takes a minute", script: "waits.js", timeout: 60 },
  ],
};
const FILES = {
  "tools.json": TOOLS,
  "echo.js": "function main() { return g.tool.args; }\n",
  "waits.js": "async function main() { g.run.progress(1); await g.run.sleep(60000); }\n",
};
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

/** Longest time from the end of a client until the server and its children are gone (issue 2). */
const END_MS = 2_000;

test.each(["SIGTERM", "SIGINT", "stdin"])(
  "after %s a server on stdio is gone within 2 s with its children, exit code 0, during a call",
  async (how) => {
    const { bench, child } = await serveStdio();
    const answered = nextLine(child, '"notifications/progress"');
    send(child, { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "waits", arguments: {}, _meta: { progressToken: 1 } } });
    await answered;
    const children = await childrenOf(pidOf(child));
    expect(children.length).toBeGreaterThan(0);
    const startedAt = performance.now();
    if (how === "stdin") child.stdin.end();
    else child.kill(how === "SIGTERM" ? "SIGTERM" : "SIGINT");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(END_MS);
    await gone(children);
    bench[Symbol.dispose]();
  },
);

test("with its stdin closed from the start it ends by itself with exit code 0 and nothing on stdout", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  const run = await bench.run(["serve"]);
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: "" });
});

test("every line on stdout is JSON-RPC from the first byte, also when a script prints and the workspace has faults", async () => {
  using bench = makeBench(cli);
  const tools = [
    ...TOOLS.tools,
    { name: "prints", description: "Prints", script: "prints.js" },
    { name: "broken", description: "x", script: "none.js" },
  ];
  bench.write({ ...FILES, "tools.json": { tools }, "prints.js": 'function main() { console.log("to stdout?"); return 1; }\n' });
  const child = bench.start(["serve"]);
  const done = finished(child);
  send(child, INITIALIZE);
  send(child, { jsonrpc: "2.0", method: "notifications/initialized" });
  send(child, { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "prints", arguments: {} } });
  await nextLine(child, '"id":2');
  child.stdin.end();
  const { stdout, code } = await done;
  expect(code).toBe(0);
  for (const line of stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

test("over HTTP a token made by agents add opens the server, no token and a removed one do not", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  const token = (await bench.run(["agents", "add", "laptop"])).stdout.trim();
  expect(token).toMatch(/^ty_[A-Za-z0-9_-]{43}$/);
  const { child, url } = await serveHttp(bench, []);
  expect((await post(url, INITIALIZE)).status).toBe(401);
  expect((await post(url, INITIALIZE, token)).status).toBe(200);
  expect((await fetch(new URL("/healthz", url))).status).toBe(200);
  const listed = await bench.run(["agents", "list", "--json"]);
  expect(JSON.parse(listed.stdout).agents).toMatchObject([{ agent: "laptop" }]);
  expect(listed.stdout).not.toContain(token);
  expect((await bench.run(["agents", "remove", "laptop"])).code).toBe(0);
  expect((await post(url, INITIALIZE, token)).status).toBe(401);
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});

test("over HTTP the first signal waits for a call, the second ends the server at once with exit code 1", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  const { child, url } = await serveHttp(bench, ["--no-auth"]);
  const children = await childrenOf(pidOf(child));
  const response = await fetch(url, {
    method: "POST",
    headers: { ...HEADERS, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "waits" },
    body: JSON.stringify(modernCall("waits")),
  });
  const reader = response.body?.getReader();
  // The stream begins with the progress of the script, so the call is running.
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("notifications/progress");
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  // The port is closed by the first signal; that is how its arrival shows.
  await expect
    .poll(
      () =>
        fetch(new URL("/healthz", url)).then(
          () => "open",
          () => "closed",
        ),
      { timeout: END_MS, interval: 20 },
    )
    .toBe("closed");
  expect(child.exitCode).toBe(null);
  // The same signal passed on by a parent comes within moments and does not count; a person's second one comes later.
  const again = setInterval(() => child.kill("SIGINT"), 100);
  expect((await exit)[0]).toBe(1);
  clearInterval(again);
  await reader?.cancel().catch(() => undefined);
  await gone(children);
});

test("a loopback host is off until trust says so, and then the running server reaches it", async () => {
  using bench = makeBench(cli);
  const api = createServer((_request, response) => response.end("lights on")).listen(0, "127.0.0.1");
  await once(api, "listening");
  onTestFinished(() => void api.close());
  // A server that listens on TCP has an address object.
  const host = `127.0.0.1:${(api.address() as AddressInfo).port}`;
  const lights = { name: "lights", description: "Asks the lights", script: "lights.js", allowedHosts: [host] };
  bench.write({
    "tools.json": { tools: [lights] },
    "lights.js": `async function main() { return (await fetch("http://${host}/")).text(); }\n`,
  });
  const before = await bench.run(["run", "lights", "--json"]);
  expect(JSON.parse(before.stdout).error.code).toBe("NOT_TRUSTED");
  const check = JSON.parse((await bench.run(["check", "--json"])).stdout);
  expect(check.problems).toMatchObject([{ code: "NOT_TRUSTED", severity: "warning", tool: "lights", file: "tools.json" }]);
  const refused = await bench.run(["trust"]);
  expect(refused.code).toBe(2);
  const trusted = await bench.run(["trust", "--yes", "--json"], { env: { TOOLYARD_CONFIRM: "1" } });
  expect(JSON.parse(trusted.stdout)).toMatchObject({ trusted: [{ kind: "private-host", tool: "lights", value: host }] });
  expect(JSON.parse((await bench.run(["run", "lights", "--json"])).stdout).value).toBe("lights on");
});

test("a workspace whose agents were taken out of toolyard.json is not served to everybody", async () => {
  using bench = makeBench(cli);
  bench.write({ ...FILES, "toolyard.json": { agents: [{ agentId: "reader" }, { agentId: "writer" }] } });
  const several = await bench.run(["serve"]);
  expect(several.code).toBe(2);
  expect(several.stderr).toContain("--agent reader | writer");
  expect((await bench.run(["serve", "--agent", "reader"])).code).toBe(0);
  expect((await bench.run(["agents", "add", "stranger"])).stderr).toContain("Defined: reader, writer.");
  bench.write({ "toolyard.json": {} });
  const opened = await bench.run(["serve"]);
  expect(opened.code).toBe(2);
  expect(opened.stderr).toContain("had agents");
});

test.each([
  ["agents add", ["agents", "add", "reader"]],
  ["run", ["run", "echo", "--agent", "reader"]],
])("%s remembers that the workspace has agents, and without them run and serve refuse to open it", async (_name, args) => {
  using bench = makeBench(cli);
  bench.write({ ...FILES, "toolyard.json": { agents: [{ agentId: "reader" }, { agentId: "writer" }] } });
  expect((await bench.run(args)).code).toBe(0);
  bench.write({ "toolyard.json": {} });
  const served = await bench.run(["serve"], { env: { TOOLYARD_LOG: "silent" } });
  expect(served.code).toBe(2);
  expect(served.stderr).toContain("This workspace had agents, and toolyard.json defines none now");
  const refusal = { code: 2, stdout: "", stderr: served.stderr };
  expect(await bench.run(["run", "echo"])).toEqual(refusal);
  rmSync(join(bench.folder, ".toolyard"), { recursive: true });
  expect(await bench.run(["run", "echo"])).toEqual(refusal);
});

test("Ctrl-C cancels the call of run, which then ends with exit code 130", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  const child = bench.start(["run", "waits"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stderr.once("data", () => child.kill("SIGINT"));
  const run = await finished(child);
  expect(run).toMatchObject({ code: 130, stdout: "" });
  expect(run.stderr).toMatch(/^progress: 1\nCANCELLED {2}/);
});

test("run leaves no trace in a workspace that has no agents", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  expect((await bench.run(["run", "echo"])).code).toBe(0);
  expect(readdirSync(bench.folder).sort()).toEqual(["echo.js", "tools.json", "waits.js"]);
  expect(existsSync(bench.home)).toBe(false);
});

test("over HTTP without tokens the caller is chosen as over stdio", async () => {
  using bench = makeBench(cli);
  bench.write({ ...FILES, "toolyard.json": { agents: [{ agentId: "reader" }, { agentId: "writer" }] } });
  const several = await refusedServer(bench, ["--http", "0", "--no-auth"]);
  expect(several).toMatchObject({ code: 2, stdout: "" });
  expect(several.stderr).toContain("--agent reader | writer");
  const unknown = await refusedServer(bench, ["--http", "0", "--no-auth", "--agent", "stranger"]);
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.stderr).toContain('No agent "stranger" is defined in toolyard.json. Defined: reader, writer.');
  const { url, child } = await serveHttp(bench, ["--no-auth", "--agent", "reader"]);
  expect((await post(url, INITIALIZE)).status).toBe(200);
  child.kill("SIGTERM");
  expect((await once(child, "exit"))[0]).toBe(0);
});

test("serve --json is for HTTP alone", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  const run = await bench.run(["serve", "--json"]);
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(/^INVALID_ARGUMENTS {2}--json belongs to --http here/);
});

test("at its start a server says how many tools are set aside, and where its files are broken", async () => {
  using bench = makeBench(cli);
  const env = { TOOLYARD_LOG: "silent" };
  const hi = { name: "hi", description: "Says hi", messages: [{ text: "Hi" }] };
  bench.write({
    ...FILES,
    "tools.json": { tools: [...TOOLS.tools, { name: "gone", description: "x", script: "gone.js" }], prompts: [hi] },
  });
  expect((await bench.run(["serve"], { env })).stderr).toBe("Serving 2 tools, 1 prompt on stdio; 1 set aside.\n");
  bench.write({ "tools.json": '{\n  "tools": [,]\n}\n' });
  const broken = (await bench.run(["serve"], { env })).stderr.split("\n");
  expect(broken[0]).toMatch(/^The workspace's files are broken: tools\.json:2:13 ./);
  expect(broken.slice(1)).toEqual(["All that is wrong: toolyard check", "Serving 0 tools on stdio.", ""]);
});

test("a copied folder gets nothing of what was stored for the first, until trust is answered for it", async () => {
  using bench = makeBench(cli);
  const needs = { name: "needs", description: "Needs a key", script: "needs.js", headers: { "X-Key": "{{API_KEY}}" } };
  bench.write({ "first/tools.json": { tools: [needs] }, "first/needs.js": "function main() { return 1; }\n" });
  await bench.run(["secrets", "set", "API_KEY", "--host", "api.example.com", "-w", "first"], { input: "value-of-the-test" });
  await bench.run(["agents", "add", "laptop", "-w", "first"]);
  expect((await bench.run(["run", "needs", "-w", "first"])).stdout).toBe("1\n");
  cpSync(join(bench.folder, "first"), join(bench.folder, "copy"), { recursive: true });
  const inCopy = async (args: readonly string[], env = {}): Promise<unknown> =>
    JSON.parse((await bench.run([...args, "-w", "copy", "--json"], { env, input: "another-value" })).stdout);
  expect(await inCopy(["run", "needs"])).toMatchObject({ error: { code: "NOT_TRUSTED" } });
  expect(await inCopy(["secrets", "set", "API_KEY"])).toMatchObject({ error: { code: "NOT_TRUSTED" } });
  expect(await inCopy(["agents", "add", "laptop"])).toMatchObject({ error: { code: "NOT_TRUSTED" } });
  for (const args of [
    ["secrets", "list"],
    ["secrets", "remove", "API_KEY"],
    ["agents", "list"],
    ["agents", "remove", "laptop"],
  ]) {
    const answer = await bench.run([...args, "-w", "copy"]);
    expect({ code: answer.code, stdout: answer.stdout }, args.join(" ")).toEqual({ code: 1, stdout: "" });
    expect(answer.stderr, args.join(" ")).toMatch(/^NOT_TRUSTED {2}/);
  }
  expect((await bench.run(["secrets", "list", "-w", "first"])).stdout).toContain("API_KEY");
  expect((await bench.run(["agents", "list", "-w", "first"])).stdout).toContain("laptop");
  expect(await inCopy(["trust", "--yes"], { TOOLYARD_CONFIRM: "1" })).toEqual({ trusted: [], adopted: true });
  expect(await inCopy(["run", "needs"])).toMatchObject({ value: 1 });
});

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

function modernCall(name: string): object {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    progressToken: 1,
  };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {}, _meta: meta } };
}

async function serveStdio(): Promise<{ bench: CliBench; child: CliChild }> {
  const bench = makeBench(cli);
  bench.write(FILES);
  const child = bench.start(["serve"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stderr.resume();
  const answered = nextLine(child, '"id":1');
  send(child, INITIALIZE);
  await answered;
  send(child, { jsonrpc: "2.0", method: "notifications/initialized" });
  return { bench, child };
}

async function serveHttp(bench: CliBench, args: readonly string[]): Promise<{ child: CliChild; url: string }> {
  const child = bench.start(["serve", "--http", "0", "--json", ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stderr.resume();
  let text = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes("\n}")) break;
  }
  child.stdout.resume();
  return { child, url: JSON.parse(text).url };
}

/** A server that is expected to end by itself; one that starts instead is stopped, and says so by how it ends. */
function refusedServer(bench: CliBench, args: readonly string[]): Promise<CliRun> {
  const child = bench.start(["serve", ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.once("data", () => child.kill("SIGTERM"));
  return finished(child);
}

function post(url: string, message: object, token?: string): Promise<Response> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(url, { method: "POST", headers: { ...HEADERS, ...authorization }, body: JSON.stringify(message) });
}

function send(child: CliChild, message: object): void {
  child.stdin.write(`${JSON.stringify(message)}\n`);
}

/** Settles once a line with that text has come. */
function nextLine(child: CliChild, text: string, stream: "stdout" | "stderr" = "stdout"): Promise<void> {
  let seen = "";
  return new Promise((resolve, reject) => {
    child[stream].on("data", (chunk: Buffer | string) => {
      seen += String(chunk);
      if (seen.includes(text)) resolve();
    });
    child.once("exit", () => reject(new Error(`it ended before it wrote ${text}`)));
  });
}

function pidOf(child: CliChild): number {
  if (child.pid === undefined) throw new Error("it did not start");
  return child.pid;
}

/** Waits until none of the processes is left; there is no event for processes that are not our own children. */
async function gone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive), { timeout: END_MS, interval: 20 }).toEqual([]);
}
