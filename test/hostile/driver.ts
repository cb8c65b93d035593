/**
 * Runs hostile scripts of our own against the sources beside it: those of the project, or a temporary copy without one guard.
 * Given `[{file, mode}]` as JSON on standard input it answers each with one line, the JSON of `Seen`; README.md has the use by hand.
 */
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { readProcessFigures } from "../../src/sandbox/process-figures.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { gist, testCall } from "../support/sandbox-call.ts";
import { attack, becomesQuiet, hostileSandbox, isOfProcessor, QUIET_MS, type Seen, wantedOf } from "./attack.ts";
import { CONTROL_FAILED, runInCopy, type Task } from "./copy.ts";
import { allGuards } from "./guards.ts";
import { MODES, readOwnScript } from "./own-scripts.ts";

/** A script still unanswered this long after its limit is ended, with its hosts, in milliseconds. */
const PATIENCE_MS = 5_000;

/** The same for a host that takes so much memory, in MiB: the machine's other work must not suffer from a missing guard. */
const HOST_MOST_MB = 4_096;

async function main(): Promise<void> {
  const [how, ...files] = process.argv.slice(2);
  if (how === undefined) {
    const tasks: readonly Task[] = JSON.parse(await text(process.stdin));
    await control().catch((error: unknown) => {
      console.error(error);
      process.exit(CONTROL_FAILED);
    });
    for (const task of tasks) process.stdout.write(`${JSON.stringify(await judge(task))}\n`);
    return;
  }
  await tryByHand(how, files);
}

/** By guard, since each removal takes a copy of its own. */
async function tryByHand(how: string, files: readonly string[]): Promise<void> {
  const cases = files.flatMap((file) => readOwnScript(file).expectations.map(({ mode, guard }) => ({ file, mode, guard })));
  for (const [name, tasks = []] of Object.entries(Object.groupBy(cases, ({ guard }) => guard))) {
    const guard = allGuards().get(name);
    if (guard === undefined) throw new Error(`test/hostile/guards lacks "${name}".`);
    const seen = await runInCopy(how === "without" ? guard : undefined, tasks);
    for (const each of seen) {
      const isAsWanted = isDeepStrictEqual(each, wantedOf(readOwnScript(each.file), each.mode));
      process.stdout.write(`${isAsWanted ? "as wanted" : "FAILS"}, ${how} ${name}: ${JSON.stringify(each)}\n`);
    }
  }
}

/** A guard's removal must not break what is no attack, else every script would fail without it. Throws then. */
async function control(): Promise<void> {
  const source = `async function main({ turn }) {
    const { status } = await fetch("http://loopback/");
    await new Promise((resolve) => setTimeout(resolve, 5));
    console.log(new URL("a", "http://loopback/"));
    return [status, turn];
  }`;
  await using sandbox = await hostileSandbox();
  for (const isolation of MODES) {
    for (const turn of [1, 2]) {
      const result = gist(await sandbox.run(testCall(source, { isolation, timeoutMs: 5_000, args: { turn } })));
      if (isDeepStrictEqual(result, { value: [200, turn] })) continue;
      throw new Error(`A well-behaved script in mode "${isolation}" gave ${JSON.stringify(result)}.`);
    }
  }
}

/** One script in a sandbox of its own. */
async function judge({ file, mode }: Task): Promise<Seen> {
  const script = readOwnScript(file);
  const sandbox = await hostileSandbox();
  const limitMs = script.limitMs * (script.before === undefined ? 1 : 2) + PATIENCE_MS;
  const watch = setInterval(() => killHosts(sandbox, HOST_MOST_MB), 20);
  try {
    const late: Seen = { file, mode, outcome: "none", isInTime: false, isMemoryHeld: true, nextCall: null, isQuiet: false };
    const seen = await Promise.race([attack(sandbox, script, mode), delay(limitMs, late, { ref: false })]);
    // What has failed already needs no more proof.
    if (!isOfProcessor(file) || !isDeepStrictEqual(seen, wantedOf(script, mode))) return seen;
    return { ...seen, isQuiet: await becomesQuiet(sandbox, QUIET_MS) };
  } finally {
    clearInterval(watch);
    killHosts(sandbox, 0);
    await sandbox[Symbol.asyncDispose]();
  }
}

function killHosts(sandbox: Sandbox, aboveMb: number): void {
  for (const { pid } of sandbox.status().hosts) if ((readProcessFigures(pid)?.rssMb ?? 0) > aboveMb) process.kill(pid, "SIGKILL");
}

await main();
