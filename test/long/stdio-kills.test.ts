// The client of a stdio server is killed 100 times, at any moment of its life, half of the time during an endless call: no process is left.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { HAS_PROC, processesOfSession } from "../support/processes.ts";
import { makeHome } from "../support/runtime.ts";
import { makeFolder } from "../support/workspace-folder.ts";
import { percentile, runSeed, seededRandom, writeEvidence } from "./evidence.ts";

const KILLS = 100;
/** The kill comes at a random moment within this time from the client's start: before, during and after the server's own start. */
const LATEST_KILL_MS = 2_500;
/** Longest time from the death of a connected client until everything it started is gone (issue 2, stdio manners). */
const END_MS = 2_000;
/** The same for a server that is still starting: it finds out once it looks at its stdin. Long, for a busy machine. */
const START_AND_END_MS = 10_000;

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const CLIENT = fileURLToPath(new URL("./kill-client.ts", import.meta.url));

const FILES = {
  "tools.json": {
    tools: [
      { name: "quick", description: "Answers", script: "quick.js" },
      { name: "endless", description: "Computes for ever", script: "endless.js", timeout: 300 },
    ],
  },
  "quick.js": "function main() { return 1; }\n",
  "endless.js": "function main() { g.run.progress(1); for (;;) {} }\n",
};

interface Kill {
  readonly session: number;
  /** What the client had reached. */
  readonly phase: string;
  /** Processes that its death left behind for a moment: the server and its hosts. */
  readonly orphans: number;
  readonly goneMs: number;
}

test.skipIf(!HAS_PROC)("after 100 kills of the client no server and no sandbox host is left", async () => {
  const seed = runSeed();
  const random = seededRandom(seed);
  const root = makeFolder(FILES);
  const home = makeHome();
  const kills: Kill[] = [];
  const endSessions = (): void => {
    for (const pid of kills.flatMap(({ session }) => processesOfSession(session))) process.kill(pid, "SIGKILL");
  };
  onTestFinished(endSessions);
  for (let index = 0; index < KILLS; index++) {
    const tool = index % 2 === 0 ? "endless" : "quick";
    kills.push(await killOnce([CLI, root, home, tool], random() * LATEST_KILL_MS));
  }
  const left = kills.flatMap(({ session }) => processesOfSession(session)).length;
  const phases = Map.groupBy(kills, ({ phase }) => phase);
  writeEvidence("stdio-kills", {
    seed,
    kills: kills.length,
    left,
    killsWithOrphans: kills.filter(({ orphans }) => orphans > 0).length,
    orphans: kills.reduce((sum, { orphans }) => sum + orphans, 0),
    byPhase: Object.fromEntries([...phases].map(([phase, of]) => [phase, figuresOf(of)])),
  });
  expect(left).toBe(0);
  const connected = kills.filter(({ phase }) => phase !== "not started" && phase !== "starting");
  expect(connected.filter(({ goneMs }) => goneMs > END_MS)).toEqual([]);
  // Kills that came before anything ran would show nothing.
  expect([phases.get("computing")?.length, phases.get("answered")?.length].map((count = 0) => count > 4)).toEqual([true, true]);
});

function figuresOf(kills: readonly Kill[]): object {
  const goneMs = kills.map((kill) => kill.goneMs);
  return { kills: kills.length, goneMsP50: percentile(goneMs, 0.5), goneMsMax: percentile(goneMs, 1) };
}

/** Starts a client in a session of its own, kills it after the time, and waits until the session is empty. */
async function killOnce(args: readonly string[], afterMs: number): Promise<Kill> {
  const client = spawn(process.execPath, [CLIENT, ...args], { stdio: ["ignore", "pipe", "ignore"], detached: true });
  const session = client.pid;
  if (session === undefined) throw new Error("the client did not start");
  let phase = "not started";
  createInterface({ input: client.stdout }).on("line", (line) => {
    phase = line;
  });
  const exited = once(client, "exit");
  await delay(afterMs);
  client.kill("SIGKILL");
  await exited;
  const startedAt = performance.now();
  const orphans = processesOfSession(session).length;
  // There is no event for the end of a process that is not our own child.
  while (processesOfSession(session).length > 0 && performance.now() - startedAt < START_AND_END_MS) await delay(5);
  return { session, phase, orphans, goneMs: Math.round(performance.now() - startedAt) };
}
