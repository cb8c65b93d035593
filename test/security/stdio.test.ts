// Manners over stdio, with real processes: a pure stdout, an end with the client, and answers for what cannot be read.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, existsSync, openSync, readFileSync, watch, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createLineReader } from "../../src/server/line-reader.ts";
import { SIGNAL_FILES } from "../support/mcp-engine.ts";
import { INITIALIZE, legacyMessage } from "../support/mcp-http.ts";
import { initialized, type StdioProcess, startStdio, TEST_SERVER, temporaryFolder } from "../support/stdio-process.ts";

function callMessage(id: number, name: string, args: object = {}): object {
  return legacyMessage("tools/call", { name, arguments: args }, id);
}

function notJson(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !line.startsWith('{"') || !line.includes('"jsonrpc":"2.0"'));
}

async function callsWait(server: StdioProcess): Promise<void> {
  server.send(callMessage(1, "wait"));
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = (): void => {
    if (existsSync(join(server.folder, SIGNAL_FILES.started))) resolve();
  };
  const watcher = watch(server.folder, check);
  check();
  await promise;
  watcher.close();
}

/** Milliseconds from now until the server and its output are gone. */
async function timeToExit(server: StdioProcess): Promise<number> {
  const before = performance.now();
  await server.exited;
  return performance.now() - before;
}

test("what anything prints to stdout would get between the messages", async () => {
  const server = startStdio("unclaimed");
  await initialized(server);
  server.send(callMessage(1, "noisy"));
  await server.answer(1);
  expect(notJson(server.lines)).toEqual(["noise"]);
});

test("with stdout claimed, every line is JSON-RPC from the first byte and the print is on stderr", async () => {
  const server = startStdio();
  await initialized(server);
  server.send(callMessage(1, "noisy"));
  await server.answer(1);
  server.child.stdin.end();
  expect(await server.exited).toBe(0);
  expect(notJson(server.lines)).toEqual([]);
  expect(server.stderr()).toContain("noise\n");
});

test("at the end of stdin a running call is cancelled and the process is gone within 2 s", async () => {
  const server = startStdio();
  await initialized(server);
  await callsWait(server);
  server.child.stdin.end();
  expect(await timeToExit(server)).toBeLessThan(2_000);
  expect(existsSync(join(server.folder, SIGNAL_FILES.cancelled))).toBe(true);
  expect(server.stderr()).toContain("ended: stdin-end");
});

test("what was asked before the end of stdin is still answered", async () => {
  const server = startStdio();
  server.send(legacyMessage("initialize", INITIALIZE, 0));
  server.send(callMessage(1, "slow", { ms: 100 }));
  server.child.stdin.end();
  expect(await server.exited).toBe(0);
  expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { waitedMs: 100 } } });
});

test("a client that closes stdout in the middle of an answer ends the server, without a crash or a loop", async () => {
  const server = startStdio();
  await initialized(server);
  server.child.stdout.destroy();
  server.send(callMessage(1, "echo", { text: "x".repeat(50_000) }));
  expect(await timeToExit(server)).toBeLessThan(2_000);
  expect(await server.exited).toBe(0);
  expect(server.stderr()).toContain("ended: stdout-error");
});

test("a client that closes both its ends, stderr included, leaves no process", async () => {
  const server = startStdio();
  await initialized(server);
  server.send(callMessage(1, "slow", { ms: 200 }));
  server.child.stderr.destroy();
  server.child.stdout.destroy();
  server.child.stdin.destroy();
  expect(await timeToExit(server)).toBeLessThan(2_000);
});

test.skipIf(process.platform === "win32")("a server whose parent is killed ends within 2 s, although its stdin stays open", async () => {
  const folder = temporaryFolder();
  // A named pipe that this test holds open itself: a pipe of child_process would be closed here when the parent dies.
  const pipe = join(folder, "stdin");
  execFileSync("mkfifo", [pipe]);
  const descriptor = openSync(pipe, constants.O_RDWR);
  const pidFile = join(folder, "pid");
  const code = `const { pid } = require("node:child_process").spawn(process.execPath, ${JSON.stringify([TEST_SERVER, "stdio", folder])}, { stdio: "inherit" });
    require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(pid));`;
  onTestFinished(() => endProcess(pidFile));
  const parent = spawn(process.execPath, ["-e", code], { stdio: [descriptor, "pipe", "ignore"] });
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const { promise: outputClosed, resolve: onClosed } = Promise.withResolvers<void>();
  parent.stdout?.once("data", () => resolve());
  parent.stdout?.on("close", () => onClosed());
  writeSync(descriptor, `${JSON.stringify(legacyMessage("initialize", INITIALIZE))}\n`);
  await ready;
  const before = performance.now();
  parent.kill("SIGKILL");
  // stdout closes when the last process that holds it is gone, and that is the server.
  await outputClosed;
  expect(performance.now() - before).toBeLessThan(2_000);
  closeSync(descriptor);
});

/** For the case that the test fails: the server would live as long as its open stdin. */
function endProcess(pidFile: string): void {
  try {
    process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
  } catch {
    // It is gone, as it should be.
  }
}

test("a reader without a limit would keep a line of any length", () => {
  const reader = createLineReader(Number.POSITIVE_INFINITY);
  reader.push(Buffer.alloc(20_000_000, "x"));
  expect(reader.push(Buffer.from("\n"))).toMatchObject([{ kind: "line", bytes: { length: 20_000_000 } }]);
});

test("a message over 16 MiB is refused by its id, and the connection goes on", async () => {
  const server = startStdio();
  await initialized(server);
  server.send(callMessage(1, "echo", { text: "x".repeat(17 * 1024 * 1024) }));
  expect(await server.answer(1)).toMatchObject({ error: { code: -32_600 } });
  server.send(callMessage(2, "echo", { text: "next" }));
  expect(await server.answer(2)).toMatchObject({ result: { structuredContent: { text: "next" } } });
});

test("a message just under 16 MiB is read in time that grows with its size, not with its square", async () => {
  const server = startStdio();
  await initialized(server);
  server.send(callMessage(1, "echo", { text: "x".repeat(15 * 1024 * 1024) }));
  const before = performance.now();
  // The arguments are over their own limit of 1 MiB: the message was read, and the engine refused it.
  expect(await server.answer(1)).toMatchObject({ result: { isError: true, structuredContent: { error: { code: "INVALID_ARGUMENTS" } } } });
  expect(performance.now() - before).toBeLessThan(5_000);
});

test("lines that are no message are answered with the code of JSON-RPC, and the next one is served", async () => {
  const server = startStdio();
  await initialized(server);
  server.send("\n\r\n{oops\n");
  expect(await server.answer(null)).toMatchObject({ error: { code: -32_700 } });
  server.send('{"id":5,"method":"ping"}\n');
  expect(await server.answer(5)).toMatchObject({ error: { code: -32_600 } });
  server.send(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
  server.send('[{"jsonrpc":"2.0","id":6,"method":"ping"}]\n');
  server.send('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"noisy","arguments":null}}\r\n');
  expect(await server.answer(7)).toMatchObject({ result: { content: [{ text: "quiet" }] } });
  expect(server.lines.filter((line) => line.includes('"id":null')).map((line) => JSON.parse(line).error.code)).toEqual([
    -32_700, -32_700, -32_600,
  ]);
});
