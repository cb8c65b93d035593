// secrets set with a header, a form and methods: said at once, shown by list, held against every request.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { expect, inject, onTestFinished, test } from "vitest";
import { type CliBench, makeBench } from "./cli-process.ts";

const cli = inject("installedCli");
const VALUE = "value-of-the-test";

async function api(): Promise<{ readonly host: string; readonly requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.end("fine");
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return { host: `127.0.0.1:${address.port}`, requests };
}

function keyBench(host: string): CliBench {
  const bench = makeBench(cli);
  const tool = (name: string, headers: object): object => ({ name, description: "Asks", script: "ask.js", allowedHosts: [host], headers });
  bench.write({
    "tools.json": {
      tools: [
        tool("right", { Authorization: "Bearer {{API_KEY}}" }),
        tool("bare", { Authorization: "{{API_KEY}}" }),
        tool("other", { "X-Key": "Bearer {{API_KEY}}" }),
      ],
    },
    "ask.js": `async function main() { return (await fetch("http://${host}/", { method: g.tool.args.method })).text(); }\n`,
  });
  return bench;
}

test("a secret bound to a header, a form and a method goes with such requests only", async () => {
  const { host, requests } = await api();
  using bench = keyBench(host);
  const options = ["--host", `http://${host}`, "--header", "Authorization", "--format", "Bearer %s", "--method", "get"];
  const stored = await bench.run(["secrets", "set", "API_KEY", ...options], { input: VALUE });
  expect(stored.stdout.split("\n")[0]).toBe(
    `Stored API_KEY for this workspace. It can go to http://${host} in header authorization as "Bearer %s" with GET and nowhere else.`,
  );
  const run = async (tool: string, method: string): Promise<unknown> => {
    const { stdout } = await bench.run(["run", tool, `method=${method}`, "--json"]);
    const { value, error } = JSON.parse(stdout);
    return value ?? error.code;
  };
  expect(await run("right", "GET")).toBe("fine");
  expect(requests.map((request) => request.headers.authorization)).toEqual([`Bearer ${VALUE}`]);
  for (const [tool, method] of [
    ["right", "POST"],
    ["bare", "GET"],
    ["other", "GET"],
  ] as const)
    expect(await run(tool, method), tool).toBe("SECRET_HOST");
  expect(requests.length).toBe(1);
});

test("secrets list shows the scheme of every host and all that narrows it", async () => {
  using bench = keyBench("api.example.com");
  const set = (name: string, ...options: string[]): Promise<unknown> => bench.run(["secrets", "set", name, ...options], { input: VALUE });
  await set("ALL", "--host", "api.example.com", "--header", "X-Key", "--method", "GET", "--method", "PROPFIND");
  await set("LOCAL", "--host", "http://localhost:8080", "--host", "nas.lan:8443");
  const { stdout } = await bench.run(["secrets", "list"]);
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\d/g, "DAY")).toBe(
    [
      "ALL    this workspace  → https://api.example.com in header x-key with GET, PROPFIND",
      "       set DAY, not used yet; no tool names it",
      "LOCAL  this workspace  → http://localhost:8080, https://nas.lan:8443",
      "       set DAY, not used yet; no tool names it",
      "",
    ].join("\n"),
  );
  const { secrets } = JSON.parse((await bench.run(["secrets", "list", "--json"])).stdout);
  expect(secrets).toMatchObject([{ hosts: ["api.example.com"], header: "x-key", methods: ["GET", "PROPFIND"] }, { name: "LOCAL" }]);
  expect(Object.keys(secrets[1])).toEqual(["name", "scope", "hosts", "setAt", "tools"]);
});

test.each([
  [["--header", "not a header"], "--header"],
  [["--format", "Bearer hunter2-hunter2"], "--format"],
  [["--method", "hunter2-hunter2"], "--method"],
  [["--method", "GTE"], "did you mean GET"],
  [["--method", "CONNECT"], "CONNECT"],
])("%j is refused before the value is asked for, without repeating what may be a key", async (options, said) => {
  using bench = keyBench("api.example.com");
  const run = await bench.run(["secrets", "set", "API_KEY", "--host", "api.example.com", ...options], { input: "" });
  expect(run).toMatchObject({ code: 2, stdout: "" });
  expect(run.stderr).toMatch(/^INVALID_ARGUMENTS {2}/);
  expect(run.stderr).toContain(said);
  expect(run.stderr).not.toContain("hunter2");
});
