/** Each guard of the sandbox is removed in a temporary copy of the sources: every script that names it must then get its way. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { attack, becomesQuiet, hostileSandbox, isOfProcessor, QUIET_MS, type Seen, wantedOf } from "../hostile/attack.ts";
import { runInCopy } from "../hostile/copy.ts";
import { allGuards, type Guard } from "../hostile/guards.ts";
import { type Mode, type OwnScript, readOwnScripts } from "../hostile/own-scripts.ts";

interface Case {
  readonly script: OwnScript;
  readonly mode: Mode;
  readonly guard: string;
  readonly wanted: Seen;
}

interface Result {
  readonly with: Seen;
  readonly without: Seen;
}

const cases = readOwnScripts().flatMap((script) =>
  script.expectations.flatMap(({ mode, guard }): readonly Case[] => {
    const wanted = wantedOf(script, mode);
    return wanted === undefined ? [] : [{ script, mode, guard, wanted }];
  }),
);

test("every script of our own holds with all guards, and gets its way without the one it names", async () => {
  const results = new Map<Case, Result>();
  const held = await runWithAll();
  for (const guard of allGuards().values()) {
    const own = cases.filter((each) => each.guard === guard.name);
    const broken = await runWithout(guard, own);
    for (const each of own) results.set(each, { with: seenOf(held, each), without: seenOf(broken, each) });
    const isIdle = own.some((each) => isDeepStrictEqual(results.get(each)?.without, each.wanted));
    console.log(`${guard.name}: ${own.length} cases${isIdle ? ", NOT ALL FAIL WITHOUT IT" : ""}`);
  }
  writePage(results);
  const failed = cases.filter((each) => !isDeepStrictEqual(results.get(each)?.with, each.wanted));
  expect(failed.map(nameOf)).toEqual([]);
  const idle = cases.filter((each) => isDeepStrictEqual(results.get(each)?.without, each.wanted));
  expect(idle.map(nameOf)).toEqual([]);
});

/** In one sandbox, one after the other: none of them may spoil it for the next. */
async function runWithAll(): Promise<ReadonlyMap<string, Seen>> {
  await using sandbox = await hostileSandbox();
  const seen = new Map<string, Seen>();
  for (const each of cases) {
    const { script, mode } = each;
    const ended = await attack(sandbox, script, mode);
    const isQuiet = !isOfProcessor(script.file) || (await becomesQuiet(sandbox, QUIET_MS));
    seen.set(nameOf(each), { ...ended, isQuiet });
  }
  return seen;
}

async function runWithout(guard: Guard, own: readonly Case[]): Promise<ReadonlyMap<string, Seen>> {
  const tasks = own.map(({ script, mode }) => ({ file: script.file, mode }));
  const seen = await runInCopy(guard, tasks);
  return new Map(seen.map((each) => [`${each.file} ${each.mode}`, each]));
}

function seenOf(seen: ReadonlyMap<string, Seen>, each: Case): Seen {
  const found = seen.get(nameOf(each));
  if (found === undefined) throw new Error(`${nameOf(each)} was not run.`);
  return found;
}

function nameOf({ script, mode }: Pick<Case, "script" | "mode">): string {
  return `${script.file} ${mode}`;
}

/** docs/evidence/hostile.md. */
function writePage(results: ReadonlyMap<Case, Result>): void {
  const folder = fileURLToPath(new URL("../../docs/evidence/", import.meta.url));
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  const machine = `${cpus().length} cores ${cpus()[0]?.model ?? ""}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  const scripts = new Set(cases.map(({ script }) => script.file)).size;
  const guards = [...allGuards().values()];
  const rows = [...results].map(([each, result]) => row(each, result));
  const page = [
    "# Hostile scripts of our own and the guards that stop them",
    "",
    `Made by the run: \`npm run test:long -- test/long/hostile-guards.test.ts\`, ${new Date().toISOString()}, commit ${commit}, ${machine}.`,
    "",
    `${scripts} scripts (\`test/hostile/own\`), ${results.size} cases, ${guards.length} guards. "Without" is what the same script gives in a copy of the`,
    "sources from which that one guard was removed; a case counts only where that is not what is expected.",
    "",
    "| script | mode | attack | expected | guard | with | without |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
    "| guard | what it does |",
    "|---|---|",
    ...guards.map(({ name, about }) => `| ${name} | ${cell(about)} |`),
    "",
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}hostile.md`, page.join("\n"));
}

function row({ script, mode, guard, wanted }: Case, result: Result): string {
  const cells = [script.file, mode, script.attack, gistOf(wanted), guard, gistOf(result.with), gistOf(result.without)];
  return `| ${cells.map(cell).join(" | ")} |`;
}

/** The outcome, and what is not as it must be beside it. */
function gistOf({ outcome, isInTime, isMemoryHeld, nextCall, isQuiet }: Seen): string {
  const text = JSON.stringify(outcome);
  const parts = [text.length > 80 ? `${text.slice(0, 79)}…` : text];
  if (!isInTime) parts.push("late");
  if (!isMemoryHeld) parts.push("memory over the ceiling");
  if (!isDeepStrictEqual(nextCall, { value: 1 })) parts.push("the next call fails");
  if (!isQuiet) parts.push("goes on computing");
  return parts.join(", ");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
