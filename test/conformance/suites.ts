// The official conformance suites against `toolyard serve --http` on the workspace beside this file.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** One run of a suite. */
export interface Suite {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Scenarios and checks that are known to fail, each with its reason; one that passes fails the run. */
  readonly expected: string;
}

/** How a suite ended. */
export interface SuiteOutcome {
  readonly suite: string;
  /** 0: every scenario passed or failed as expected. */
  readonly code: number | null;
  /** Entries of the list that no run scenario answers to, which the suites themselves pass over in silence. */
  readonly unknown: readonly string[];
  readonly output: string;
}

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The suites that issue 3 names. */
export function conformanceSuites(): readonly Suite[] {
  const frozen = (version: string): Suite => ({
    name: `0.2.0-alpha.12, ${version}`,
    program: fileURLToPath(import.meta.resolve("conformance-2026/dist/index.js")),
    args: ["--requirements", version],
    expected: beside(`expected-0.2-${version}.yml`),
  });
  return [
    {
      name: "0.1.16, all",
      program: fileURLToPath(import.meta.resolve("conformance-2025/dist/index.js")),
      args: ["--suite", "all"],
      expected: beside("expected-0.1.yml"),
    },
    frozen("2025-11-25"),
    frozen("2026-07-28"),
  ];
}

/** Runs suites one after the other against one server of the command at `cli`. */
export async function runSuites(cli: string, suites: readonly Suite[]): Promise<readonly SuiteOutcome[]> {
  const base = mkdtempSync(join(tmpdir(), "toolyard-conformance-"));
  try {
    const workspace = join(base, "workspace");
    cpSync(beside("workspace"), workspace, { recursive: true });
    await using server = await startServer(cli, base, workspace);
    const outcomes: SuiteOutcome[] = [];
    for (const suite of suites) outcomes.push(await runSuite(suite, server.url, base));
    return outcomes;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

async function startServer(cli: string, base: string, workspace: string): Promise<RunningServer> {
  const args = [cli, "serve", "-w", workspace, "--http", "0", "--no-auth", "--json"];
  // The suites ask faster than one client may.
  mkdirSync(join(base, "home"), { mode: 0o700 });
  writeFileSync(join(base, "home/settings.json"), JSON.stringify({ limits: { httpRequestsPerSecond: 1_000, httpRequestBurst: 1_000 } }));
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? "", HOME: base, TOOLYARD_HOME: join(base, "home"), TOOLYARD_LOG: "info" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  editOnCalls(child.stderr, join(workspace, "tools.json"));
  return {
    url: await printedUrl(child.stdout, child),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
    },
  };
}

async function printedUrl(stdout: Readable, child: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of stdout) {
    text += String(chunk);
    const url = /"url": ?"([^"]+)"/.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`toolyard serve ended with ${child.exitCode ?? child.signalCode} before it listened.`);
}

/** Scripts cannot edit the workspace; an editor can, and the suites want to see that clients are told. */
function editOnCalls(log: Readable, file: string): void {
  createInterface({ input: log }).on("line", (line) => {
    if (!line.includes('"tool.call.done"')) return;
    if (line.includes("test_trigger_tool_change")) toggle(file, "tools", { script: "scripts/echo.js" });
    if (line.includes("test_trigger_prompt_change")) toggle(file, "prompts", { file: "prompts/simple.md" });
  });
}

function toggle(file: string, list: "tools" | "prompts", fields: Readonly<Record<string, string>>): void {
  const content: Record<string, { name: string }[]> = JSON.parse(readFileSync(file, "utf8"));
  const name = "test_comes_and_goes";
  const others = (content[list] ?? []).filter((entry) => entry.name !== name);
  const isThere = others.length !== (content[list] ?? []).length;
  const entries = isThere ? others : [...others, { name, description: "Comes and goes.", ...fields }];
  writeFileSync(file, JSON.stringify({ ...content, [list]: entries }, null, 2));
}

async function runSuite({ name, program, args, expected }: Suite, url: string, base: string): Promise<SuiteOutcome> {
  const results = join(base, name.replace(/[^a-z0-9.]+/gi, "-"));
  const child = spawn(process.execPath, [program, "server", "--url", url, ...args, "--expected-failures", expected, "-o", results], {
    cwd: base,
    env: { PATH: process.env.PATH ?? "", HOME: base, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = await once(child, "close");
  return { suite: name, code, unknown: unknownEntries(readFileSync(expected, "utf8"), output), output };
}

/** The suites name each entry that they met, as "~" if it failed and as "✓" if it is stale. */
function unknownEntries(expected: string, output: string): readonly string[] {
  const met = new Set([...stripVTControlCharacters(output).matchAll(/^ {2}[~✓] (\S+)$/gm)].map(([, entry]) => entry));
  return [...expected.matchAll(/^ +- (\S+)$/gm)].flatMap(([, entry = ""]) => (met.has(entry) ? [] : [entry]));
}
