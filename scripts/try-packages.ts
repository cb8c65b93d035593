// Tries packages people use in scripts, in both modes of isolation, and writes docs/evidence/packages.json and docs/packages.md.
// Installs them into a temporary folder from npm; not part of any test. Usage: node scripts/try-packages.ts [--page]
// --page: only the page, of the evidence that is there.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { silentLog } from "../src/core/log.ts";
import { problemText } from "../src/core/problem.ts";
import { openRuntime } from "../src/engine/runtime.ts";
import { cases } from "./package-cases.ts";

interface Row {
  readonly name: string;
  readonly version: string;
  readonly bundleKb: number | undefined;
  readonly call: string;
  readonly tool: string;
  /** Milliseconds of a second call, in mode "call" and "tool". */
  readonly ms: readonly [number | undefined, number | undefined];
}

interface Evidence {
  readonly node: string;
  readonly entries: number;
  readonly call: number;
  readonly tool: number;
  readonly rows: readonly Row[];
}

const repository = fileURLToPath(new URL("..", import.meta.url));
const evidencePath = join(repository, "docs/evidence/packages.json");
const root = mkdtempSync(join(tmpdir(), "packages-"));
const home = mkdtempSync(join(tmpdir(), "home-"));
try {
  if (!process.argv.includes("--page")) writeFileSync(evidencePath, `${JSON.stringify(await findEvidence(), null, 2)}\n`);
  writeFileSync(join(repository, "docs/packages.md"), page(JSON.parse(readFileSync(evidencePath, "utf8"))));
} finally {
  rmSync(root, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
}

async function findEvidence(): Promise<Evidence> {
  const names = [...new Set(cases.map(({ name }) => name))];
  writeFileSync(join(root, "package.json"), JSON.stringify({ private: true, type: "module" }));
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...names], { cwd: root, stdio: ["ignore", 2, 2] });
  const rows = await tryAll();
  const worked = (mode: "call" | "tool"): number => rows.filter((row) => row[mode] === "works").length;
  return { node: process.versions.node, entries: rows.length, call: worked("call"), tool: worked("tool"), rows };
}

async function tryAll(): Promise<readonly Row[]> {
  mkdirSync(join(root, "scripts"));
  const tools = cases.flatMap(({ script }, index) => {
    writeFileSync(join(root, `scripts/case-${index}.ts`), script);
    return (["call", "tool"] as const).map((isolation) => {
      return { name: `${isolation}-${index}`, description: "Tries a package.", script: `scripts/case-${index}.ts`, isolation, timeout: 30 };
    });
  });
  writeFileSync(join(root, "tools.json"), JSON.stringify({ tools }));
  await using runtime = await openRuntime({
    root,
    home,
    key: { keychain: false },
    poll: false,
    watch: false,
    warmUp: true,
    log: silentLog,
  });
  await runtime.engine.refresh({ kind: "all" });
  const rows: Row[] = [];
  for (const [index, { name, entry, expected }] of cases.entries()) {
    const version: unknown = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
    const call = await tryOne(`call-${index}`, expected);
    const tool = await tryOne(`tool-${index}`, expected);
    const source = runtime.workspace.current().tools.find((one) => one.name === `call-${index}`)?.script.source;
    rows.push({
      name: entry ?? name,
      version: String(version),
      bundleKb: source === undefined ? undefined : Math.round(source.length / 1_000),
      call: call.outcome,
      tool: tool.outcome,
      ms: [call.ms, tool.ms],
    });
    process.stderr.write(`${entry ?? name}: ${call.outcome} | ${tool.outcome}\n`);
  }
  return rows;

  async function tryOne(name: string, expected: unknown): Promise<{ readonly outcome: string; readonly ms: number | undefined }> {
    const request = { name, args: {}, signal: new AbortController().signal };
    const first = await runtime.engine.call({ agent: "default", origin: "cli" }, request);
    if (first.kind === "error") {
      const problem = runtime.workspace.current().problems.find(({ tool }) => tool === name);
      return { outcome: shorten(problem === undefined ? first.message : problemText(problem)), ms: undefined };
    }
    if (JSON.stringify(first.value) !== JSON.stringify(expected))
      return { outcome: `gives ${shorten(JSON.stringify(first.value))}`, ms: undefined };
    const startedAt = performance.now();
    await runtime.engine.call({ agent: "default", origin: "cli" }, request);
    return { outcome: "works", ms: Math.round((performance.now() - startedAt) * 10) / 10 };
  }
}

function shorten(text: string): string {
  const plain = text
    .replace(/^Tool "[^"]*" failed /, "")
    .replaceAll("\n", " ")
    .replaceAll(/scripts\/case-\d+\.ts:/g, "script:");
  return plain.length <= 160 ? plain : `${plain.slice(0, 159)}…`;
}

function page(evidence: Evidence): string {
  const lines = evidence.rows.map(({ name, version, bundleKb, call, tool, ms }) => {
    const size = bundleKb === undefined ? "" : String(bundleKb);
    return `| \`${name}\` | ${version} | ${size} | ${cell(call, ms[0])} | ${cell(tool, ms[1])} |`;
  });
  const notes = cases.flatMap(({ name, entry = name, note }) => (note === undefined ? [] : [`- \`${entry}\`: ${note}.`]));
  return `# Packages

What ${evidence.entries} packages do in scripts: ${evidence.call} work in isolation \`"call"\`, ${evidence.tool} in \`"tool"\`. Made by
\`node scripts/try-packages.ts\`, which installs them, bundles a small use of each and compares what it gives; the numbers are
milliseconds of a second call on the machine it ran on, the whole call included.

A package works here if it is plain JavaScript that needs neither files nor sockets nor other parts of Node, or has a build
for browsers. "Works" is said of that small use: other parts of a package may need what is not here. One that fails
in \`"tool"\` and works in \`"call"\` changes built-in objects, which are frozen in \`"tool"\`.

| import | version | bundle, KB | "call" | "tool" |
| --- | --- | --- | --- | --- |
${lines.join("\n")}

Less than the table may seem to say:

${notes.join("\n")}
`;
}

function cell(outcome: string, ms: number | undefined): string {
  return outcome === "works" ? `works, ${ms}` : outcome.replaceAll("|", "\\|");
}
