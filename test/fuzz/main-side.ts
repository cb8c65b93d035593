/** Conversations with the real server side of the border, with a real process in the place of the host. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { SandboxCall, SandboxResult } from "../../src/sandbox/sandbox-call.ts";
import { FUZZ_CAPS, FUZZ_POOL } from "./caps.ts";
import { LAST_NOTICE, makeConversation, type Script } from "./conversations.ts";
import { withinMs } from "./deadline.ts";
import type { Effect, Ending } from "./oracle.ts";
import type { Random } from "./random.ts";
import { find, type Tally } from "./report.ts";
import type { UnderTest } from "./under-test.ts";

const REPLAY = fileURLToPath(new URL("replay-host.sh", import.meta.url));

/** Conversations at once: a process that starts leaves a core idle. */
const AT_ONCE = 3;

/** A conversation takes some milliseconds; one that takes this long hangs. */
const HANG_MS = 20_000;

const SOURCES = { ses: "", harden: "", prelude: "", capabilities: [], hostNames: "" };

/** What a call showed of itself. */
interface Seen {
  readonly effects: Effect[];
  readonly endings: ReadonlyMap<string, Ending>;
  readonly end: string | undefined;
}

/** Talks until that many messages were sent, and compares what came of each conversation with the oracle. */
export async function fuzzConversations(code: UnderTest, random: Random, tally: Tally, messages: number): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "fuzz-"));
  const until = tally.messages + messages;
  let serial = 0;
  const talk = async (worker: number): Promise<void> => {
    const folder = join(root, String(worker));
    mkdirSync(folder);
    while (tally.messages < until && tally.findings.length === 0) {
      serial += 1;
      const script = makeConversation(random, tally, serial);
      // A machine that stood still meanwhile lets the server's own limits come first; once is no fault.
      const deviation = (await deviationOf(code, script, folder)) && (await deviationOf(code, script, folder));
      if (deviation !== undefined) find(tally, "conversation", `${deviation} [changes: ${script.changes.join(" | ")}]`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, worker) => talk(worker)));
  rmSync(root, { recursive: true });
}

async function deviationOf(code: UnderTest, script: Script, folder: string): Promise<string | undefined> {
  const { expected } = script;
  const seen = await play(code, script, folder);
  if (typeof seen === "string") return seen;
  const rest = expected.end === undefined ? "CANCELLED" : "SANDBOX_CRASHED";
  if (seen.end !== expected.end) return `the host's end was ${seen.end}, not ${expected.end}`;
  if (!isDeepStrictEqual(seen.effects, expected.effects.filter(isOfACall))) {
    return `the calls were told ${JSON.stringify(seen.effects)}, not ${JSON.stringify(expected.effects)}`;
  }
  const endings = seen.endings.size === 0 ? new Map() : expected.endings(rest);
  return isDeepStrictEqual(seen.endings, endings)
    ? undefined
    : `the calls ended with ${JSON.stringify([...seen.endings])}, not ${JSON.stringify([...endings])}`;
}

function isOfACall([, , name]: Effect): boolean {
  return name !== LAST_NOTICE;
}

/** What came of it; a text if it did not come to its end. */
async function play(code: UnderTest, script: Script, folder: string): Promise<Seen | string> {
  writeFileSync(join(folder, "before"), script.before);
  writeFileSync(join(folder, "after"), script.after);
  const last = script.callIds.at(-1) ?? "";
  let loss = "";
  await using host = new code.HostProcess({
    command: { program: "/bin/sh", args: [REPLAY, folder, last] },
    sources: SOURCES,
    caps: FUZZ_CAPS,
    pool: FUZZ_POOL,
    onLost: (_, { reason }) => {
      loss ||= reason;
    },
    onFirstAnswer: () => undefined,
  });
  const refusal = await withinMs(
    HANG_MS,
    host.ready.then(() => undefined, String),
  );
  if (refusal === "late") return "the host was neither ready nor ended";
  // It may have been ready and gone wrong right after.
  if (refusal !== undefined || !host.isServing) return { effects: [], endings: new Map(), end: endOf(loss) };
  const effects: Effect[] = [];
  const told = Promise.withResolvers<undefined>();
  const tell = (effect: Effect): void => {
    if (isOfACall(effect)) effects.push(effect);
    else told.resolve(undefined);
  };
  const results = script.callIds.map((callId) => {
    const controller = new AbortController();
    const result = host.run(callOf(callId, controller.signal, tell), () => undefined);
    if (script.cancelled.has(callId)) controller.abort();
    return result;
  });
  const lastResult = results.at(-1)?.then((result) => result);
  const end = await withinMs(HANG_MS, Promise.race([told.promise, lastResult]));
  if (end === "late") return "the last message was neither told nor did it end the host";
  await host[Symbol.asyncDispose]();
  const ended = await withinMs(HANG_MS / 4, Promise.all(results));
  if (ended === "late") return "a call was never answered";
  const endings = new Map(ended.map((result, index) => [script.callIds[index] ?? "", endingOf(result)]));
  return { effects, endings, end: end === undefined ? undefined : endOf(end.kind === "error" ? end.error.message : "a result") };
}

/** What ended a host, from what it or a call in it says of that. */
function endOf(text: string): string {
  if (text.includes("broke the protocol")) return "breach";
  return /(^|process )failed: /.test(text) ? "fatal" : text;
}

function endingOf(result: SandboxResult): Ending {
  if (result.kind === "value") return { value: result.value };
  return result.kind === "content" ? { blocks: result.blocks } : { code: result.error.code };
}

/** A call of no script in particular, whose events are told on. */
export function callOf(callId: string, signal: AbortSignal, tell: (effect: Effect) => void): SandboxCall {
  const timeoutMs = 60_000;
  return {
    callId,
    agent: "default",
    tool: "probe",
    script: { key: "probe", source: "", file: "scripts/probe.js", entry: "main", isolation: "tool", memoryMb: 64 },
    facts: {
      callId,
      args: {},
      tool: { name: "probe", description: "A tool of the tests" },
      config: {},
      agent: { id: "default", instanceId: "test" },
      run: { origin: "cli", startedAt: "2026-01-01T00:00:00.000Z", timeoutMs },
    },
    timeoutMs,
    timeoutHint: "fixed here",
    signal,
    onStart: () => undefined,
    async onHostCall(method, params) {
      tell([callId, "call", method, params]);
      return null;
    },
    onNotice: (name, params) => tell([callId, "notice", name, params]),
  };
}
