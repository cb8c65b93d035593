/** What the bench of the sandbox measured, as tables on stdout and as the section of docs/performance.md between its marks. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { nodeProcess } from "./sandbox-process-ways.ts";
import { bareIsolate, ours, ownRealm } from "./sandbox-ways.ts";

/** Calls under way at once. */
export const LEVELS = [1, 8, 32] as const;

/** One of {@link LEVELS}. */
export type Level = (typeof LEVELS)[number];

/** Of one way with one script at one level; `calls` are those measured. */
export interface Figures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  readonly calls: number;
}

/** Figures with their level. */
export interface Cell extends Figures {
  readonly atOnce: Level;
}

/** One way with one script. */
export interface Row {
  readonly script: string;
  readonly way: string;
  readonly cells: readonly Cell[];
}

/** A ratio that issue 4 asks for, of calls per second, with the first script. */
export interface Verdict {
  readonly faster: string;
  readonly than: string;
  readonly atLeast: number;
  /** By calls at once. */
  readonly ratios: Readonly<Record<string, number>>;
  readonly isMet: boolean;
}

const PAGE = new URL("../docs/performance.md", import.meta.url);
const BEGIN = "<!-- npm run bench -- sandbox: begin -->";
const END = "<!-- npm run bench -- sandbox: end -->";

/** Mode "tool" against a new isolate per call, mode "call" against a process per call. Met: at every level. */
export function verdicts(rows: readonly Row[]): readonly Verdict[] {
  const wanted = [
    { faster: ours("tool").name, than: ownRealm.name, atLeast: 20 },
    { faster: ours("tool").name, than: bareIsolate.name, atLeast: 20 },
    { faster: ours("call").name, than: nodeProcess.name, atLeast: 10 },
  ];
  const script = rows[0]?.script;
  return wanted.map((wish) => {
    const ratios = LEVELS.map((level) => ratio(rows, { ...wish, script, level }));
    return {
      ...wish,
      ratios: Object.fromEntries(LEVELS.map((level, index) => [level, ratios[index] ?? Number.NaN])),
      isMet: ratios.every((one) => one >= wish.atLeast),
    };
  });
}

/** Prints the tables and puts them in the page. */
export function report(
  rows: readonly Row[],
  requirements: readonly Verdict[],
  { loadBefore, rounds, lacksDeno }: { readonly loadBefore: readonly number[]; readonly rounds: number; readonly lacksDeno: boolean },
): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const machine = `${cpus().length} cores ${cpus()[0]?.model ?? ""}, load average before the run ${loadBefore[0]}`;
  const day = new Date().toISOString().slice(0, 10);
  const section = [
    `Node ${process.versions.node}, ${machine}, commit ${commit}, ${day}; medians of ${rounds} interleaved rounds.`,
    ...(lacksDeno ? ["Deno could not be installed for this run and is left out."] : []),
    ...[...Map.groupBy(rows, ({ script }) => script)].map(([script, of]) => table(script, of)),
    verdictLines(requirements),
  ].join("\n\n");
  console.log(section);
  const page = readFileSync(PAGE, "utf8");
  const [before = "", rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/performance.md lacks the marks "${BEGIN}" and "${END}".`);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${section}\n\n${END}${after}`);
}

function table(script: string, rows: readonly Row[]): string {
  const tool = ours("tool").name;
  const heads = LEVELS.flatMap((level) => [`p50 / p99 ms, ${level} at once`, `calls/s`]);
  const head = ["way", ...heads, `mode "tool" is faster by`].join(" | ");
  const lines = rows.map(({ way, cells }) => {
    const figures = cells.flatMap(({ p50Ms, p99Ms, perSecond }) => [`${shown(p50Ms)} / ${shown(p99Ms)}`, shown(perSecond)]);
    const times = way === tool ? "" : LEVELS.map((level) => shown(ratio(rows, { faster: tool, than: way, script, level }))).join(", ");
    return `| ${[way, ...figures, times].join(" | ")} |`;
  });
  const rule = Array.from({ length: 2 + heads.length }, () => "---").join(" | ");
  return [`**${script}**`, "", `| ${head} |`, `| ${rule} |`, ...lines].join("\n");
}

function verdictLines(requirements: readonly Verdict[]): string {
  const lines = requirements.map(({ faster, than, atLeast, ratios, isMet }) => {
    const list = LEVELS.map((level) => `${shown(ratios[level] ?? Number.NaN)} × at ${level}`).join(", ");
    return `- ${faster} against ${than}: ${list}; wanted ${atLeast} ×: ${isMet ? "met" : "**not met**"}.`;
  });
  return ["Calls per second with the first script, at 1, 8 and 32 at once:", "", ...lines].join("\n");
}

function ratio(
  rows: readonly Row[],
  {
    faster,
    than,
    script,
    level,
  }: { readonly faster: string; readonly than: string; readonly script: string | undefined; readonly level: Level },
): number {
  const perSecond = (way: string): number =>
    rows.find((row) => row.script === script && row.way === way)?.cells.find(({ atOnce }) => atOnce === level)?.perSecond ?? Number.NaN;
  return Math.round((perSecond(faster) / perSecond(than)) * 10) / 10;
}

/** Three digits are as many as such a figure bears. */
function shown(figure: number): string {
  if (figure >= 100) return figure.toFixed(0);
  return figure >= 10 ? figure.toFixed(1) : figure.toFixed(2);
}
