// The whole path of a secret: stored, put into a header outside the sandbox, echoed by the other server in every way it can.
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTrust } from "../../src/policy/trust-store.ts";
import { existingIdentity } from "../../src/workspace/workspace-identity.ts";
import { makeHome, openTestRuntime, storeSecret, type TestRuntime } from "../support/runtime.ts";
import { makeFolder } from "../support/workspace-folder.ts";
import { recorder, serve } from "./egress-support.ts";

const VALUE = "sk-live/ÄQuite+Secret==42&more";
const FORMS = [
  VALUE,
  encodeURIComponent(VALUE),
  Buffer.from(VALUE).toString("base64"),
  Buffer.from(VALUE, "latin1").toString("base64"),
  Buffer.from(VALUE).toString("base64url"),
  Buffer.from(VALUE, "latin1").toString("hex"),
];

/** Echoes all it got: in headers, status text and body, plain and encoded. */
function echoServer() {
  const received: string[] = [];
  const started = serve((request, response) => {
    const header = String(request.headers["x-api-key"]);
    received.push(header);
    const text = Buffer.from(header, "latin1").toString("latin1");
    const body = {
      plain: text,
      base64: Buffer.from(text, "latin1").toString("base64"),
      base64Utf8: Buffer.from(text).toString("base64"),
      url: encodeURIComponent(text),
      hex: Buffer.from(text, "latin1").toString("hex"),
      nested: JSON.stringify({ text }),
      [text]: "as a key",
    };
    response.writeHead(request.url === "/error" ? 500 : 200, `Status ${text}`, {
      "x-echo": text,
      "content-type": "application/json; charset=utf-8",
    });
    response.end(JSON.stringify(body));
  });
  return started.then(({ port, hits }) => ({ port, hits, received }));
}

const SCRIPT = `async function main() {
  const { path = "/", mode } = g.tool.args;
  const response = await g.http.makeHttpRequest(g.config.base + path);
  const all = { status: response.status, statusText: response.statusText, headers: response.headers, body: response.body, url: response.url };
  console.log("log", response.body, response.headers);
  g.run.progress(1, 2, "progress " + response.body);
  if (mode === "throw") throw new Error("thrown " + response.body + response.statusText);
  if (mode === "fail") return g.result.fail("failed " + response.body);
  return all;
}
`;

function folderFor(base: string, hosts: readonly string[] | undefined): string {
  return makeFolder({
    "tools.json": {
      tools: [
        {
          name: "echo",
          description: "Calls the API",
          script: "scripts/echo.js",
          parameters: { type: "object", properties: { path: { type: "string" }, mode: { type: "string" } } },
          headers: { "X-Api-Key": "{{API_KEY}}" },
          config: { base },
          ...(hosts === undefined ? {} : { allowedHosts: hosts }),
        },
      ],
    },
    "scripts/echo.js": SCRIPT,
  });
}

/** Everything the model, a person or a file could see of the calls of a runtime. */
function everythingSeen(runtime: TestRuntime, results: readonly unknown[]): string {
  const files = [runtime.root, runtime.home].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((file) => join(folder, file))
      .filter((file) => statSync(file).isFile())
      .flatMap((file) => [readFileSync(file, "latin1"), readFileSync(file, "utf8")]),
  );
  return JSON.stringify([results, runtime.logged, runtime.lines, runtime.progress, files]);
}

test("an API that echoes the key in every way gets it, and nobody else ever sees it", async () => {
  const api = await echoServer();
  const home = makeHome();
  const root = folderFor(`http://127.0.0.1:${api.port}`, undefined);
  await storeSecret({ root, home }, "API_KEY", VALUE, { hosts: [`http://127.0.0.1:${api.port}`] });
  const runtime = await openTestRuntime(root, home);
  const results = [];
  for (const args of [{}, { path: "/error" }, { mode: "throw" }, { mode: "fail" }]) results.push(await runtime.run("echo", args));
  expect(results.map((result) => (result.kind === "ok" ? "ok" : result.code))).toEqual(["ok", "ok", "SCRIPT_ERROR", "SCRIPT_ERROR"]);
  // Without redaction the test would find it: the server really sent it back.
  expect(api.received.map((header) => Buffer.from(header, "latin1").toString("latin1"))).toEqual([VALUE, VALUE, VALUE, VALUE]);
  const seen = everythingSeen(runtime, results);
  for (const form of FORMS) expect(seen).not.toContain(form);
  expect(JSON.stringify(results[0])).toContain("[redacted]");
  expect(runtime.progress.length).toBe(4);
  expect(runtime.lines.length).toBeGreaterThanOrEqual(4);
});

test("a key bound to another host is not sent, and the message says what to do", async () => {
  const api = await echoServer();
  const home = makeHome();
  const root = folderFor(`http://127.0.0.1:${api.port}`, [`127.0.0.1:${api.port}`]);
  await storeSecret({ root, home }, "API_KEY", VALUE, { hosts: ["api.example.com"] });
  const runtime = await openTestRuntime(root, home);
  const result = await runtime.run("echo");
  expect(result).toMatchObject({ kind: "error", code: "SECRET_HOST" });
  const message = result.kind === "error" ? result.message : "";
  expect(message).toContain("would carry API_KEY, which is bound to https://api.example.com:443. Nothing was sent.");
  expect(message).toContain(`toolyard secrets allow API_KEY --host http://127.0.0.1:${api.port}`);
  expect(api.hits).toEqual([]);
});

test("a missing key stops the call before the script starts, with the command to run", async () => {
  const api = await echoServer();
  const runtime = await openTestRuntime(folderFor(`http://127.0.0.1:${api.port}`, undefined), makeHome());
  const result = await runtime.run("echo");
  expect(result).toMatchObject({ kind: "error", code: "SECRET_MISSING", data: { commands: ["toolyard secrets set API_KEY --host HOST"] } });
  expect(api.hits).toEqual([]);
});

test("a locked vault stops the call with VAULT_LOCKED, and tools without secrets go on", async () => {
  const api = await echoServer();
  const home = makeHome();
  const root = folderFor(`http://127.0.0.1:${api.port}`, undefined);
  await storeSecret({ root, home }, "API_KEY", VALUE, { hosts: [`http://127.0.0.1:${api.port}`] });
  rmSync(join(home, "master.key"));
  const runtime = await openTestRuntime(root, home);
  expect(await runtime.run("echo")).toMatchObject({ kind: "error", code: "VAULT_LOCKED" });
  expect(await runtime.run("GetWorkspaceTools")).toMatchObject({ kind: "ok" });
  expect(api.hits).toEqual([]);
});

test("a key set while the server runs is in force on the next call", async () => {
  const api = await echoServer();
  const home = makeHome();
  const root = folderFor(`http://127.0.0.1:${api.port}`, undefined);
  const runtime = await openTestRuntime(root, home);
  expect(await runtime.run("echo")).toMatchObject({ code: "SECRET_MISSING" });
  await storeSecret({ root, home }, "API_KEY", VALUE, { hosts: [`http://127.0.0.1:${api.port}`] });
  expect(await runtime.run("echo")).toMatchObject({ kind: "ok" });
});

test("a redirect to another origin is followed without the key, also back at the first", async () => {
  const home = makeHome();
  let second = 0;
  const first = await recorder((path) =>
    path === "/" ? { status: 302, location: `http://127.0.0.1:${second}/there` } : { status: 200, body: "back" },
  );
  const other = await recorder(() => ({ status: 302, location: `http://127.0.0.1:${first.port}/back` }));
  second = other.port;
  const hosts = [`127.0.0.1:${first.port}`, `127.0.0.1:${other.port}`];
  const root = folderFor(`http://127.0.0.1:${first.port}`, hosts);
  await storeSecret({ root, home }, "API_KEY", VALUE, { hosts: [`http://127.0.0.1:${first.port}`] });
  const runtime = await openTestRuntime(root, home);
  expect(await runtime.run("echo")).toMatchObject({ kind: "error", code: "NOT_TRUSTED" });
  const identity = existingIdentity(root);
  if (identity === undefined) throw new Error("storing a secret gave the folder an identity");
  await openTrust(home, identity).add([{ kind: "private-host", tool: "echo", value: `127.0.0.1:${other.port}` }]);
  expect(await runtime.run("echo")).toMatchObject({ kind: "ok", value: { status: 200, body: "back" } });
  const sent = [...first.seen, ...other.seen].map(({ path, headers }) => [path, headers["x-api-key"] !== undefined]);
  // The first row shows that the key does travel where it may.
  expect(sent).toEqual([
    ["/", true],
    ["/", true],
    ["/back", false],
    ["/there", false],
  ]);
});

test("a redirect to a host the tool may not reach ends the call with HOST_NOT_ALLOWED", async () => {
  const home = makeHome();
  const other = await recorder(() => ({ status: 200 }));
  const first = await recorder(() => ({ status: 302, location: `http://127.0.0.1:${other.port}/` }));
  const root = folderFor(`http://127.0.0.1:${first.port}`, undefined);
  await storeSecret({ root, home }, "API_KEY", VALUE, { hosts: [`http://127.0.0.1:${first.port}`] });
  const runtime = await openTestRuntime(root, home);
  expect(await runtime.run("echo")).toMatchObject({ kind: "error", code: "HOST_NOT_ALLOWED" });
  expect(other.seen).toEqual([]);
});

test("a server of the script's own that sends candidates gets them to the script untouched", async () => {
  const home = makeHome();
  const guess = await serve((_, response) => response.end(JSON.stringify({ guess: VALUE })));
  const root = makeFolder({
    "tools.json": {
      tools: [
        {
          name: "guess",
          description: "Asks its own server, without a key",
          script: "scripts/a.js",
          headers: { "X-Api-Key": { value: "{{API_KEY}}", hosts: ["api.example.com"] } },
          allowedHosts: ["api.example.com", `127.0.0.1:${guess.port}`],
        },
      ],
    },
    "scripts/a.js": `async function main() { return (await g.http.makeHttpRequest("http://127.0.0.1:${guess.port}/")).json().guess }`,
  });
  await storeSecret({ root, home }, "API_KEY", VALUE, { hosts: ["api.example.com"] });
  const identity = existingIdentity(root);
  if (identity === undefined) throw new Error("storing a secret gave the folder an identity");
  await openTrust(home, identity).add([{ kind: "private-host", tool: "guess", value: `127.0.0.1:${guess.port}` }]);
  const runtime = await openTestRuntime(root, home);
  expect(await runtime.run("guess")).toMatchObject({ kind: "ok", value: VALUE });
});

test("a cloned workspace reaches nothing private and gets no global key until somebody trusts it; a copied id gives it nothing", async () => {
  const api = await echoServer();
  const home = makeHome();
  const hostPort = `127.0.0.1:${api.port}`;
  const original = folderFor(`http://${hostPort}`, [hostPort]);
  await storeSecret({ root: original, home }, "OTHER", VALUE, { hosts: [`http://${hostPort}`] });
  await storeSecret({ root: original, home }, "API_KEY", VALUE, { hosts: [`http://${hostPort}`], global: true });
  const identity = existingIdentity(original);
  if (identity === undefined) throw new Error("storing a secret gave the folder an identity");
  const trust = openTrust(home, identity);
  const before = await openTestRuntime(original, home);
  expect(await before.run("echo")).toMatchObject({ kind: "error", code: "NOT_TRUSTED" });
  await trust.add(before.asks().map((ask) => ask.entry));
  expect(await before.run("echo")).toMatchObject({ kind: "ok" });
  expect(api.hits.length).toBe(1);

  const clone = makeFolder();
  cpSync(original, clone, { recursive: true });
  expect(existingIdentity(clone)?.id).toBe(identity.id);
  const cloned = await openTestRuntime(clone, home);
  expect((await cloned.run("GetWorkspaceTools")).kind).toBe("ok");
  expect(await cloned.run("echo")).toMatchObject({ kind: "error", code: "NOT_TRUSTED" });
  expect(api.hits.length).toBe(1);
});

test("another folder put at the path of a served workspace gets nothing of the first one's", async () => {
  const api = await echoServer();
  const home = makeHome();
  const hostPort = `127.0.0.1:${api.port}`;
  const root = folderFor(`http://${hostPort}`, [hostPort]);
  await storeSecret({ root, home }, "API_KEY", VALUE, { hosts: [`http://${hostPort}`] });
  const runtime = await openTestRuntime(root, home);
  expect(await runtime.run("echo")).toMatchObject({ kind: "ok" });
  const stranger = folderFor(`http://${hostPort}`, [hostPort]);
  const aside = `${root}-aside`;
  onTestFinished(() => rmSync(aside, { recursive: true, force: true }));
  renameSync(root, aside);
  renameSync(stranger, root);
  const result = await runtime.run("echo");
  expect(result).toMatchObject({ kind: "error" });
  expect(result.kind === "error" && ["SECRET_MISSING", "NOT_TRUSTED"].includes(result.code)).toBe(true);
  expect(api.received.length).toBe(1);
});

test("a workspace whose files cannot be read says so with the place, to whoever calls a tool", async () => {
  const root = makeFolder({ "tools.json": '{ "tools": [\n  { "name": ]', "scripts/a.js": "async function main() {}" });
  const runtime = await openTestRuntime(root, makeHome());
  const result = await runtime.run("anything");
  expect(result).toMatchObject({
    kind: "error",
    code: "WORKSPACE_BROKEN",
    data: { problem: { code: "JSON_SYNTAX", file: "tools.json", line: 2 } },
  });
  expect(await runtime.run("GetWorkspaceTools")).toMatchObject({ kind: "ok" });
});
