// A key in the query: it goes to the host it is bound to, and is in nothing that a script, a model, a person or a file sees.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { Secret } from "../../src/core/secret.ts";
import type { ToolAdditions } from "../../src/egress/call-egress.ts";
import { makeHome, openTestRuntime, storeSecret, type TestRuntime } from "../support/runtime.ts";
import { makeFolder } from "../support/workspace-folder.ts";
import { callEgress, failure, openPolicy, recorder, send, serve, stubDial, trusting } from "./egress-support.ts";

const VALUE = "maps-key/0123456789+&=ab";
const ENCODED = encodeURIComponent(VALUE);

const SCRIPT = `async function main() {
  const { url, ...rest } = g.tool.args;
  const response = await g.http.makeHttpRequest({ url, ...rest });
  console.log("log", response.url, response.headers);
  return { status: response.status, url: response.url, headers: response.headers, body: response.body };
}
`;

async function toolWith(fields: JsonObject, hosts: readonly string[]): Promise<TestRuntime> {
  const root = makeFolder({
    "tools.json": { tools: [{ name: "call", description: "Calls the API", script: "scripts/call.js", ...fields }] },
    "scripts/call.js": SCRIPT,
  });
  const home = makeHome();
  await storeSecret({ root, home }, "MAPS_KEY", VALUE, { hosts });
  return openTestRuntime(root, home);
}

/** Everything the model, a person or a file could see. */
function everythingSeen(runtime: TestRuntime, results: readonly unknown[]): string {
  const files = [runtime.root, runtime.home].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((file) => join(folder, file))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, "latin1")),
  );
  return JSON.stringify([results, runtime.logged, runtime.lines, runtime.progress, files]);
}

/** What a script adds that has a key of its own in its query, as a server without our rules would see it. */
function queryKey(value: string): ToolAdditions {
  const secret = new Secret(value);
  return {
    prepare: (_url, { allowSecrets }) => ({ headers: new Map(), query: new Map(allowSecrets ? [["key", secret]] : []) }),
    sent: () => [secret],
  };
}

test("the key of tools.json replaces the script's, and neither answer, URL, error nor file shows it", async () => {
  const api = await serve((request, response) => {
    const path = request.url ?? "";
    if (path.startsWith("/again")) response.writeHead(302, { location: path.replace("/again", "/end") }).end();
    else if (path.startsWith("/slow")) return;
    else response.writeHead(path.startsWith("/bad") ? 500 : 200, { "x-path": path }).end(path);
  });
  const base = `http://127.0.0.1:${api.port}`;
  const runtime = await toolWith({ query: { key: "{{MAPS_KEY}}", v: "3" } }, [base]);
  const results = [];
  for (const path of ["/a?key=own&k%65y=own2&q=a%20b+c&%6bey=own3", "/again?x=1", "/bad"])
    results.push(await runtime.run("call", { url: base + path }));
  // The server was really sent it, each time once, and sent it back in its Location.
  const query = `key=${ENCODED}&v=3`;
  expect(api.hits).toEqual([`/a?q=a%20b+c&${query}`, `/again?x=1&${query}`, `/end?x=1&${query}`, `/bad?${query}`]);
  expect(results).toMatchObject([
    { kind: "ok", value: { url: `${base}/a?q=a%20b+c`, body: "/a?q=a%20b+c&key=[redacted]&v=3" } },
    { kind: "ok", value: { url: `${base}/end?x=1` } },
    { kind: "ok", value: { status: 500, url: `${base}/bad` } },
  ]);
  const slow = await runtime.run("call", { url: `${base}/slow?key=own`, timeout: 0.1 });
  expect(slow).toMatchObject({ kind: "error" });
  const seen = everythingSeen(runtime, [...results, slow]);
  for (const form of [VALUE, ENCODED, Buffer.from(VALUE).toString("base64"), "own2"]) expect(seen, form).not.toContain(form);
});

test("a parameter with replaceExisting false ends a request that has it too, and nothing is sent", async () => {
  const api = await recorder(() => ({ status: 200 }));
  const base = `http://127.0.0.1:${api.port}`;
  const runtime = await toolWith({ query: { key: { value: "<<MAPS_KEY>>", replaceExisting: false } } }, [base]);
  const refused = await runtime.run("call", { url: `${base}/?k%65y=own` });
  expect(refused).toMatchObject({ kind: "error", code: "INVALID_REQUEST" });
  expect(await runtime.run("call", { url: `${base}/?other=1` })).toMatchObject({ kind: "ok" });
  expect(api.hits).toEqual([`/?other=1&key=${ENCODED}`]);
});

test("after a redirect to another origin the key stays behind, also back at the first; one in the Location ends it", async () => {
  const other = await serve((request, response) => {
    if (request.url === "/back") response.writeHead(302, { location: `${base}/home` }).end();
    else response.end("other");
  });
  const api = await serve((request, response) => {
    const path = request.url ?? "";
    const away = `http://127.0.0.1:${other.port}`;
    if (path.startsWith("/away")) response.writeHead(302, { location: `${away}/back` }).end();
    else if (path.startsWith("/leak")) response.writeHead(302, { location: `${away}${path}` }).end();
    else response.end("home");
  });
  const base = `http://127.0.0.1:${api.port}`;
  const call = callEgress({ policy: trusting(`127.0.0.1:${api.port}`, `127.0.0.1:${other.port}`), toolHeaders: queryKey(VALUE) });
  expect(await send(call, `${base}/away`)).toMatchObject({ status: 200, url: `${base}/home`, redirected: true });
  // What the tool added is in no URL that is shown, not even masked.
  expect(await send(call, `${base}/here?a=1&key=own`)).toMatchObject({ url: `${base}/here?a=1` });
  const leak = await failure(send(call, `${base}/leak`));
  expect([leak.code, leak.message.includes("maps-key")]).toEqual(["SECRET_HOST", false]);
  expect([api.hits, other.hits]).toEqual([
    [`/away?key=${ENCODED}`, "/home", `/here?a=1&key=${ENCODED}`, `/leak?key=${ENCODED}`],
    ["/back"],
  ]);
});

test("over plain http the key goes to this machine only, though no header carries a secret", async () => {
  const { dial, dialed } = stubDial();
  const lookup = () => Promise.resolve(["93.184.215.14"]);
  const plain: ToolAdditions = { prepare: () => ({ headers: new Map(), query: new Map([["key", "plain"]]) }), sent: () => [] };
  const reason = async (toolHeaders: ToolAdditions): Promise<string> =>
    (await failure(send(callEgress({ policy: openPolicy, toolHeaders }, { dial, lookup }), "http://api.example.com/"))).code;
  expect([await reason(queryKey(VALUE)), dialed]).toEqual(["SECRET_HOST", []]);
  // A parameter without a secret gets as far as the network.
  expect([await reason(plain), dialed.length]).toEqual(["NETWORK_ERROR", 1]);
});
