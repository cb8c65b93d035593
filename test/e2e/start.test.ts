// README's first command: npm start, in a copy of the project, so that the dist/ that it empties is its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { connectClient } from "../support/mcp-clients.ts";
import { HAS_PROC, processesOfSession } from "../support/processes.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const NEEDED = ["package.json", "tsconfig.json", "tsconfig.build.json", "src", "scripts", "examples"];

function copyOfProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolyard-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of NEEDED) {
    // An identity that the folder has here is not one of the copy.
    cpSync(join(PROJECT, name), join(folder, name), { recursive: true, filter: (path) => basename(path) !== ".toolyard" });
  }
  // Package by package: the permissions of the sandbox process do not cover a link in the place of the whole folder.
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(PROJECT, "node_modules"))) {
    symlinkSync(realpathSync(join(PROJECT, "node_modules", name)), join(folder, "node_modules", name));
  }
  return folder;
}

test.skipIf(!HAS_PROC)(
  "npm start prints the tools, the answer of a real call and what to paste into clients; Ctrl-C ends it clean",
  { timeout: 120_000 },
  async () => {
    const folder = copyOfProject();
    // npm itself ends by the signal whatever its script does, so the script of package.json is started without it.
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(scripts.start).toBe("node scripts/start.ts");
    const child = spawn(process.execPath, ["scripts/start.ts"], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder, TOOLYARD_HOME: join(folder, "home") },
      stdio: ["ignore", "pipe", "pipe"],
      // A session of its own, like that of a terminal: Ctrl-C reaches every process of it.
      detached: true,
    });
    const session = child.pid ?? Number.NaN;
    onTestFinished(() => {
      for (const pid of processesOfSession(session)) process.kill(pid, "SIGKILL");
    });
    const closed = once(child, "close");
    let text = "";
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      errors += chunk;
    });
    const isUp = new Promise<void>((resolve, reject) => {
      child.once("close", () => reject(new Error(`it ended early: ${text}${errors}`)));
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (text.includes("Ctrl-C stops.")) resolve();
      });
    });
    await isUp;

    expect(text).toMatch(/^toolyard 0\.1\.0 · examples\/workspace · 8 tools · generation \d+$/m);
    for (const name of ["text-stats", "csv-query", "weather", "hn-top"]) expect(text).toMatch(new RegExp(`^ {2}${name} +ready `, "m"));
    for (const name of ["github-issues", "fetch-api-data", "fetch-partner-data"])
      expect(text).toMatch(new RegExp(`^ {2}${name} +needs secret `, "m"));
    const call = /called text-stats through (http:\/\/127\.0\.0\.1:\d+\/mcp) {2}→ {2}\{ words: 9, sentences: 2, … \} {3}\d+ ms/.exec(text);
    const token = /token of this run: (ty_[\w-]+)/.exec(text);
    expect(text).toContain("toolyard secrets set -w examples/workspace GITHUB_TOKEN --host api.github.com");
    expect(text).toMatch(/^ {2}claude mcp add toolyard -- /m);
    for (const snippet of ['"mcpServers"', '"servers"', join(folder, "dist/cli/main.js")]) expect(text).toContain(snippet);

    await using client = await connectClient("sdk 2.x at 2026-07-28", { kind: "http", url: call?.[1] ?? "", token: token?.[1] ?? "" });
    expect(await client.toolNames()).toContain("text-stats");

    process.kill(-session, "SIGINT");
    const [code] = await closed;
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(processesOfSession(session)).toEqual([]);
  },
);
