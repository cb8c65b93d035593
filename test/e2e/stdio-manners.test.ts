// Manners of the installed command over stdio where the pipes do not help: a reader that stops, pipes held open by others, faults everywhere.
import { expect, inject, test } from "vitest";
import { INITIALIZE, legacyMessage, notification } from "../support/mcp-http.ts";
import { HAS_PROC } from "../support/processes.ts";
import { type CliBench, makeBench } from "./cli-process.ts";
import { type PipedOptions, type PipedServer, startPiped, until } from "./piped-server.ts";

const cli = inject("installedCli");

/** Longest time from the end of a client until the server and its children are gone (issue 2). */
const END_MS = 2_000;
/** For a start on a busy machine. */
const START_MS = 20_000;
/** Characters of an answer; a pipe holds 64 KiB. */
const LARGE = 50_000;

const FILES = {
  "tools.json": {
    tools: [
      { name: "prints", description: "Prints", script: "prints.js" },
      { name: "large", description: "Gives much", script: "large.js" },
      { name: "endless", description: "Computes for ever", script: "endless.js", timeout: 60 },
      { name: "broken", description: "Has no script", script: "none.js" },
    ],
  },
  "prints.js":
    'function main() { for (const say of Object.values(g.log)) say("stdout?\\n{}"); console.log("stdout?"); throw new Error("stdout?"); }\n',
  "large.js": `function main() { return "x".repeat(${LARGE}); }\n`,
  "endless.js": "function main() { g.run.progress(1); for (;;) {} }\n",
};

function call(id: number, name: string): object {
  return legacyMessage("tools/call", { name, arguments: {}, _meta: { progressToken: id } }, id);
}

function serve(bench: CliBench, options?: PipedOptions): PipedServer {
  const server = startPiped(cli, bench, options);
  server.send(legacyMessage("initialize", INITIALIZE, 0), notification("notifications/initialized"));
  return server;
}

function answers(server: PipedServer): ReadonlyMap<unknown, object> {
  const messages = server.lines.map((line) => JSON.parse(line)).filter((message) => !("method" in message));
  return new Map(messages.map((message) => [message.id, message]));
}

/** Resolves once parent, server and hosts are gone, or fails after {@link END_MS}. */
async function allGone(server: PipedServer): Promise<void> {
  await until(() => server.processes().length === 0, END_MS);
}

test.skipIf(!HAS_PROC)(
  "a workspace that cannot be read, bad messages and scripts that print leave nothing but JSON-RPC on stdout",
  async () => {
    using bench = makeBench(cli);
    bench.write({ ...FILES, "tools.json": '{ "tools": [', "toolyard.json": "nonsense" });
    const server = serve(bench, { env: { TOOLYARD_LOG: "debug" } });
    server.send(call(1, "prints"), "this is no message\n", legacyMessage("no/such/method", {}, 2), legacyMessage("tools/call", {}, 3));
    server.send(legacyMessage("tools/list", {}, 4));
    await until(() => [1, 4].every((id) => answers(server).has(id)), START_MS);
    bench.write({ "tools.json": FILES["tools.json"], "toolyard.json": {} });
    server.send(call(5, "prints"), call(6, "broken"), call(7, "large"));
    await until(() => [5, 6, 7].every((id) => answers(server).has(id)), START_MS);
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    const found = answers(server);
    expect(found.get(1)).toMatchObject({ result: { isError: true, structuredContent: { error: { code: "WORKSPACE_BROKEN" } } } });
    expect(found.get(null)).toMatchObject({ error: { code: -32_700 } });
    expect(found.get(2)).toMatchObject({ error: { code: -32_601 } });
    expect(found.get(3)).toMatchObject({ error: { code: -32_602 } });
    expect(found.get(5)).toMatchObject({ result: { isError: true, structuredContent: { error: { code: "SCRIPT_ERROR" } } } });
    expect(found.get(6)).toMatchObject({ result: { isError: true, structuredContent: { error: { code: "TOOL_BROKEN" } } } });
    expect(found.get(7)).toMatchObject({ result: { content: [{ text: "x".repeat(LARGE) }] } });
    expect(server.stderr()).toContain("stdout?");
  },
);

test.skipIf(!HAS_PROC)(
  "a client that vanishes in the middle of an answer ends the server with its hosts, although its stdin stays open",
  async () => {
    using bench = makeBench(cli);
    bench.write(FILES);
    const server = serve(bench, { reads: "nothing" });
    server.send(...[1, 2, 3, 4].map((id) => call(id, "large")));
    await callsDone(server, 4);
    server.destroyReader();
    await until(() => server.stderr().includes('"reason":"stdout-error"'), END_MS);
    server.parent.kill("SIGKILL");
    await allGone(server);
  },
);

test.skipIf(!HAS_PROC).each(["SIGTERM", "the end of stdin", "the death of the parent"])(
  "a client that stops reading does not keep the server from going within 2 s after %s",
  async (how) => {
    using bench = makeBench(cli);
    bench.write(FILES);
    const server = serve(bench, { reads: "nothing" });
    server.send(...[1, 2, 3, 4].map((id) => call(id, "large")));
    await callsDone(server, 4);
    const pid = server.pid();
    if (how === "SIGTERM") process.kill(pid, "SIGTERM");
    else if (how === "the end of stdin") server.endStdin();
    else server.parent.kill("SIGKILL");
    const startedAt = performance.now();
    await until(() => server.processes().every((found) => found === server.parent.pid), END_MS);
    expect(performance.now() - startedAt).toBeLessThan(END_MS);
    server.parent.kill("SIGKILL");
    await allGone(server);
  },
);

test.skipIf(!HAS_PROC)(
  "when its parent is killed during an endless call, server and hosts are gone within 2 s, although all pipes stay open",
  async () => {
    using bench = makeBench(cli);
    bench.write(FILES);
    const server = serve(bench);
    server.send(call(1, "endless"));
    await until(() => server.lines.some((line) => line.includes('"notifications/progress"')), START_MS);
    // Parent, server and at least the host that computes.
    expect(server.processes().length).toBeGreaterThan(2);
    server.parent.kill("SIGKILL");
    await allGone(server);
  },
);

test.skipIf(!HAS_PROC)(
  "when its parent is killed while the server still starts, it goes as well, although all pipes stay open",
  async () => {
    using bench = makeBench(cli);
    bench.write(FILES);
    const server = startPiped(cli, bench);
    // The first sandbox host is there before the server reads its first message.
    await until(() => server.processes().length > 2, START_MS);
    server.parent.kill("SIGKILL");
    await until(() => server.processes().length === 0, START_MS);
  },
);

/** Resolves once the log on stderr tells of that many calls that have ended. */
async function callsDone(server: PipedServer, count: number): Promise<void> {
  await until(() => server.stderr().split('"tool.call.done"').length > count, START_MS);
}
