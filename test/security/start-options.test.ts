// Options of Node that weaken a server come with the environment of whoever starts it; toolyard refuses to start with them.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** A command that starts after all is ended, in milliseconds. */
const RUN_MS = 15_000;

/** Runs Node and gives what it printed and its exit code. */
function run(args: readonly string[], env: Record<string, string>, cwd: string) {
  const { promise, resolve } = Promise.withResolvers<{ readonly code: number; readonly stdout: string; readonly stderr: string }>();
  const child = execFile(
    process.execPath,
    args,
    { cwd, timeout: RUN_MS, env: { PATH: process.env.PATH ?? "", ...env } },
    (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    },
  );
  return promise;
}

test("an old TLS version that NODE_OPTIONS allows is allowed to a plain program, and toolyard ends with 2 and one line", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "start-options-"));
  const env = { NODE_OPTIONS: "--tls-min-v1.0", TOOLYARD_HOME: join(folder.path, "home") };
  const [plain, toolyard, byCommand] = await Promise.all([
    run(["-e", "process.stdout.write(require('node:tls').DEFAULT_MIN_VERSION)"], env, folder.path),
    run([MAIN, "serve", "--http", "0"], env, folder.path),
    run(["--tls-keylog=keys", MAIN, "list"], {}, folder.path),
  ]);
  expect(plain.stdout).toBe("TLSv1");
  expect(toolyard).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "toolyard does not start with Node's option --tls-min-v1.0: it accepts encryption that is known to be broken. Take it out of NODE_OPTIONS.\n",
  });
  expect(byCommand).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "toolyard does not start with Node's option --tls-keylog: it writes what opens its encrypted connections into a file. Take it out of the command that starts it.\n",
  });
  expect(readdirSync(folder.path)).toEqual([]);
});

test("NODE_DEBUG writes the URL of a request with its key to stderr, and toolyard does not start with it", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "start-options-"));
  const undici = import.meta.resolve("undici");
  // Nobody listens on port 9 of this machine; the URL is written before the connection fails.
  const plain = `import { request } from ${JSON.stringify(undici)}; await request("http://127.0.0.1:9/?key=Zq7Key").catch(() => {});`;
  const [byPlain, ...byToolyard] = await Promise.all([
    run(["--input-type=module", "-e", plain], { NODE_DEBUG: "undici" }, folder.path),
    run([MAIN, "list"], { NODE_DEBUG: "undici" }, folder.path),
    run([MAIN, "serve"], { NODE_DEBUG_NATIVE: "*" }, folder.path),
  ]);
  expect(byPlain.stderr).toContain("key=Zq7Key");
  expect(byToolyard.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
    { code: 2, stdout: "" },
    { code: 2, stdout: "" },
  ]);
  const last = byToolyard.map(({ stderr }) => stderr.trimEnd().split("\n").at(-1));
  expect(last).toEqual(
    ["NODE_DEBUG", "NODE_DEBUG_NATIVE"].map(
      (name) =>
        `toolyard does not start with Node's variable ${name}: it writes requests, with the keys in their URLs, to the log. Take it out of the environment.`,
    ),
  );
  expect(readdirSync(folder.path)).toEqual([]);
});

test("an .env file that Node reads at its start cannot bring such an option past the check", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "start-options-"));
  writeFileSync(join(folder.path, "settings.env"), "NODE_OPTIONS=--tls-min-v1.0\n");
  const { code, stderr } = await run(["--env-file=settings.env", MAIN, "list"], {}, folder.path);
  expect([code, stderr.split(":")[0]]).toEqual([2, "toolyard does not start with Node's option --tls-min-v1.0"]);
});

test.skipIf(process.platform === "win32")("SIGUSR1 opens the debugger of a plain program, and not that of a server", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "start-options-"));
  using home = mkdtempDisposableSync(join(tmpdir(), "start-options-home-"));
  writeFileSync(join(folder.path, "tools.json"), '{ "tools": [] }');
  const told = async (args: readonly string[]): Promise<string> => {
    const env = { PATH: process.env.PATH ?? "", TOOLYARD_HOME: home.path };
    const child = spawn(process.execPath, args, { cwd: folder.path, env, stdio: ["pipe", "pipe", "pipe"], timeout: RUN_MS });
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    await once(child.stderr, "data");
    child.kill("SIGUSR1");
    // Answered after the signal was handled, by the program as well as by the server.
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await once(child.stdout, "data");
    child.stdin.end();
    await once(child, "close");
    return text;
  };
  const plain = "process.stdin.on('data', (line) => setTimeout(() => process.stdout.write(line), 50)); console.error('ready');";
  const [byPlain, byServer] = await Promise.all([told(["--inspect-port=127.0.0.1:0", "-e", plain]), told([MAIN, "serve"])]);
  expect(byPlain).toContain("Debugger listening on");
  expect(byServer).not.toContain("Debugger");
});
