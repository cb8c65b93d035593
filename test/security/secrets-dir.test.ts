// A server whose secrets come from a folder with one file each, as containers have them.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { INITIALIZE, legacyMessage, notification } from "../support/mcp-http.ts";
import { type SecretBench, secretBench } from "../support/secret-cli.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

const STORED = "value-in-the-vault-of-the-test";

function serve({ cwd, home }: SecretBench, dir: string): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [MAIN, "serve", "--secrets-dir", dir], {
    cwd,
    env: { PATH: process.env.PATH, TOOLYARD_HOME: home },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("serve --secrets-dir sends what the folder holds as of each call, and neither answer nor log shows it", async () => {
  const seen: unknown[] = [];
  const api = createServer((request, response) => {
    seen.push(request.headers["x-key"]);
    response.end(`got ${String(request.headers["x-key"])}`);
  });
  onTestFinished(() => void api.close());
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  const host = `127.0.0.1:${Object(api.address()).port}`;
  const bench = secretBench([{ name: "ask", headers: { "X-Key": "{{API_KEY}}" }, allowedHosts: [host] }]);
  bench.write({ "a.js": `async function main() { return (await fetch("http://${host}/")).text(); }\n` });
  expect((await bench.run(["secrets", "set", "API_KEY", "--host", `http://${host}`], STORED)).code).toBe(0);
  const dir = join(bench.home, "mounted");
  mkdirSync(dir, { mode: 0o755 });
  const put = (value: string): void => writeFileSync(join(dir, "API_KEY"), `${value}\n`);
  put("first-value-of-the-folder");

  const child = serve(bench, dir);
  const told = text(child.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object): Promise<string> => {
    child.stdin.write(`${JSON.stringify(legacyMessage(method, params, id))}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the server ended: ${await told}`);
      if (JSON.parse(value).id === id) return value;
    }
  };
  await ask(1, "initialize", INITIALIZE);
  child.stdin.write(`${JSON.stringify(notification("notifications/initialized"))}\n`);
  const answers = [await ask(2, "tools/call", { name: "ask", arguments: {} })];
  put("second-value-of-the-folder");
  answers.push(await ask(3, "tools/call", { name: "ask", arguments: {} }));
  child.stdin.end();
  expect((await once(child, "exit"))[0]).toBe(0);
  expect(seen).toEqual(["first-value-of-the-folder", "second-value-of-the-folder"]);
  for (const answer of answers) expect(JSON.parse(answer).result.content).toEqual([{ type: "text", text: "got [redacted]" }]);
  expect(`${answers.join("\n")}${await told}`).not.toMatch(/of-the-folder|in-the-vault/);
});
