// One echo call through toolyard and through the same SDK without a sandbox, interleaved in one run: npm run bench.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BenchClient, closeChild, type Era, openHttp, openStdio } from "./clients.ts";

const ROUNDS = 3;
const SEQUENTIAL_MS = 1_500;
const CONCURRENT_MS = 1_500;
const AT_ONCE = 16;

const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const bare = fileURLToPath(new URL("bare-server.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "toolyard-bench-"));
const home = join(folder, "home");
const env = { ...process.env, TOOLYARD_HOME: home, TOOLYARD_LOG: "silent" };

interface Figures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
}

type ServerName = "bare SDK" | "toolyard, isolation tool" | "toolyard, isolation call";

function makeWorkspace(isolation: "tool" | "call"): string {
  const root = join(folder, isolation);
  mkdirSync(join(root, "scripts"), { recursive: true });
  const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const tools = [{ name: "echo", description: "Gives back its text", script: "scripts/echo.js", parameters }];
  writeFileSync(join(root, "tools.json"), JSON.stringify({ tools }));
  writeFileSync(join(root, "toolyard.json"), JSON.stringify({ sandbox: { isolation } }));
  writeFileSync(join(root, "scripts/echo.js"), "async function main() { return { text: g.tool.args.text } }\n");
  return root;
}

/** What one token may ask is no matter here: what the server can do is measured. */
function liftRateLimit(): void {
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(
    join(home, "settings.json"),
    JSON.stringify({ limits: { httpRequestsPerSecond: 1_000_000, httpRequestBurst: 1_000_000, httpCallsAtOnce: 1_000 } }),
  );
}

liftRateLimit();
const roots = { tool: makeWorkspace("tool"), call: makeWorkspace("call") };

async function connect(server: ServerName, transport: "stdio" | "HTTP", era: Era): Promise<BenchClient> {
  const root = server === "toolyard, isolation call" ? roots.call : roots.tool;
  const isBare = server === "bare SDK";
  if (transport === "stdio") return openStdio(process.execPath, isBare ? [bare] : [cli, "serve", "-w", root], env, era);
  const args = isBare ? [bare, "--http"] : [cli, "serve", "-w", root, "--http", "0", "--no-auth", "--json"];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const url = await new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(chunk.toString());
      if (found !== null) resolve(found[0]);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.once("exit", () => reject(new Error(`${server} ended before it listened`)));
  });
  const client = await openHttp(url, undefined, era);
  return {
    call: client.call,
    close: async () => {
      await client.close();
      await closeChild(child);
    },
  };
}

async function measure(client: BenchClient): Promise<Figures> {
  for (let n = 0; n < 300; n++) await client.call(`warm-${n}`);
  const durations: number[] = [];
  const end = performance.now() + SEQUENTIAL_MS;
  while (performance.now() < end) {
    const start = performance.now();
    await client.call(`one-${durations.length}`);
    durations.push(performance.now() - start);
  }
  durations.sort((a, b) => a - b);
  const at = (share: number): number => durations[Math.floor(durations.length * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), perSecond: await throughput(client) };
}

async function throughput(client: BenchClient): Promise<number> {
  let calls = 0;
  const start = performance.now();
  const end = start + CONCURRENT_MS;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      await client.call(`many-${calls}`);
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (calls * 1_000) / (performance.now() - start);
}

function best(figures: readonly Figures[]): Figures {
  return {
    p50Ms: Math.min(...figures.map((one) => one.p50Ms)),
    p99Ms: Math.min(...figures.map((one) => one.p99Ms)),
    perSecond: Math.max(...figures.map((one) => one.perSecond)),
  };
}

const servers: readonly ServerName[] = ["bare SDK", "toolyard, isolation tool", "toolyard, isolation call"];
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
console.log(
  `Node ${process.versions.node}, ${cpus().length} cores ${cpus()[0]?.model ?? ""}, commit ${commit}; best of ${ROUNDS} interleaved rounds\n`,
);
console.log("| transport, protocol | server | p50 ms | p99 ms | calls/s at 16 | p50 ratio |");
console.log("| --- | --- | --- | --- | --- | --- |");
try {
  for (const transport of ["stdio", "HTTP"] as const) {
    for (const era of ["2025-11-25", "2026-07-28"] as const) {
      const rounds = new Map<ServerName, Figures[]>(servers.map((server) => [server, []]));
      for (let round = 0; round < ROUNDS; round++) {
        for (const server of servers) {
          const client = await connect(server, transport, era);
          rounds.get(server)?.push(await measure(client));
          await client.close();
        }
      }
      const bareP50 = best(rounds.get("bare SDK") ?? []).p50Ms;
      for (const server of servers) {
        const { p50Ms, p99Ms, perSecond } = best(rounds.get(server) ?? []);
        const cells = [
          `${transport} ${era}`,
          server,
          p50Ms.toFixed(3),
          p99Ms.toFixed(2),
          perSecond.toFixed(0),
          (p50Ms / bareP50).toFixed(1),
        ];
        console.log(`| ${cells.join(" | ")} |`);
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
