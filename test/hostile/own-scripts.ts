/** The hostile scripts of test/hostile/own and what their headers promise; README.md describes the header. */
import { readdirSync, readFileSync } from "node:fs";
import type { JsonValue } from "../../src/core/json.ts";

/** Kinds of attack: the folders of test/hostile/own. */
const OWN_KINDS = ["cpu", "memory", "escape", "border", "persistence", "leaks"] as const;

/** Modes of isolation. */
export const MODES = ["tool", "call"] as const;

/** See {@link MODES}. */
export type Mode = (typeof MODES)[number];

/** What one mode of isolation makes of a script. */
export interface ModeExpectation {
  readonly mode: Mode;
  /** As `gist` of test/support/sandbox-call.ts tells it: `{code}` or `{value}`. */
  readonly outcome: JsonValue;
  /** Name of the guard without which the script gets its way. */
  readonly guard: string;
}

/** The call that comes before the attack, in the same sandbox. */
export interface BeforeCall {
  /** Text of the script; the attack's own if both calls are of one script. */
  readonly source: string;
  /** Whose call it is, where it is not that of the attack's own tool and agent. */
  readonly as: { readonly tool?: string; readonly agent?: string };
}

/** One script of test/hostile/own with its header. */
export interface OwnScript {
  /** Such as `cpu/loop-in-timer.js`. */
  readonly file: string;
  readonly attack: string;
  readonly source: string;
  /** Time limit of each of its calls, in milliseconds; 10,000 unless the header says otherwise. */
  readonly limitMs: number;
  /** One for each mode the script runs in. */
  readonly expectations: readonly ModeExpectation[];
  readonly before: BeforeCall | undefined;
}

const folder = new URL("own/", import.meta.url);

const LIMIT_MS = 10_000;

const FIELDS = [
  "Attack",
  "Expect",
  "Expect tool",
  "Expect call",
  "Limit",
  "Guard",
  "Guard tool",
  "Guard call",
  "Mode",
  "Before",
  "Before as",
];

/** All scripts, by name. Throws an error that names the file if a header is not as README.md says. */
export function readOwnScripts(): readonly OwnScript[] {
  return OWN_KINDS.flatMap((kind) => {
    const names = readdirSync(new URL(`${kind}/`, folder)).filter((name) => name.endsWith(".js"));
    return names.sort().map((name) => readOwnScript(`${kind}/${name}`));
  });
}

/** One script by its name below test/hostile/own. Throws like {@link readOwnScripts}. */
export function readOwnScript(file: string): OwnScript {
  return parseOwnScript(file, readFileSync(new URL(file, folder), "utf8"));
}

/** The script of that text. Throws an error that names the file if the header is not as README.md says. */
export function parseOwnScript(file: string, source: string): OwnScript {
  const header = readHeader(file, source);
  const limit = header.get("Limit") ?? `${LIMIT_MS}`;
  if (!/^[1-9]\d{1,4}$/.test(limit)) throw wrong(file, `the limit ${limit} is not 10 to 99999 milliseconds`);
  return {
    file,
    attack: required(file, header, "Attack"),
    source,
    limitMs: Number(limit),
    expectations: expectationsOf(file, header),
    before: beforeOf(file, source, header),
  };
}

function readHeader(file: string, source: string): ReadonlyMap<string, string> {
  const header = new Map<string, string>();
  for (const line of source.split("\n")) {
    if (!line.startsWith("//")) break;
    const [, name = "", value = ""] = /^\/\/ ([A-Z][a-z]+(?: [a-z]+)?): (.+)$/.exec(line) ?? [];
    if (!FIELDS.includes(name)) throw wrong(file, `a line is no field of a header: ${line}`);
    if (header.has(name)) throw wrong(file, `"${name}" is there twice`);
    header.set(name, value.trim());
  }
  return header;
}

function expectationsOf(file: string, header: ReadonlyMap<string, string>): readonly ModeExpectation[] {
  const only = header.get("Mode");
  if (only !== undefined && only !== "tool" && only !== "call") throw wrong(file, `the mode ${only} is neither "tool" nor "call"`);
  return MODES.filter((mode) => only === undefined || only === mode).map((mode) => {
    return { mode, outcome: parseOutcome(file, byMode(file, header, "Expect", mode)), guard: byMode(file, header, "Guard", mode) };
  });
}

/** The field for both modes or the one for this mode; not both, and not neither. */
function byMode(file: string, header: ReadonlyMap<string, string>, name: string, mode: Mode): string {
  const own = `${name} ${mode}`;
  if (header.has(name) && header.has(own)) throw wrong(file, `both "${name}" and "${own}" are there`);
  return required(file, header, header.has(own) ? own : name);
}

function parseOutcome(file: string, text: string): JsonValue {
  if (/^[A-Z]+(?:_[A-Z]+)*$/.test(text)) return { code: text };
  if (!text.startsWith("value ")) throw wrong(file, `the expectation ${text} is neither a code nor "value" with JSON`);
  try {
    const value: JsonValue = JSON.parse(text.slice("value ".length));
    return { value };
  } catch (cause) {
    throw new Error(`test/hostile/own/${file}: the expected value is no JSON.`, { cause });
  }
}

function beforeOf(file: string, source: string, header: ReadonlyMap<string, string>): BeforeCall | undefined {
  const name = header.get("Before");
  const as = header.get("Before as");
  if (name === undefined) {
    if (as !== undefined) throw wrong(file, '"Before as" is there without "Before"');
    return undefined;
  }
  if (name !== "this" && !/^[a-z0-9-]+\.js$/.test(name)) throw wrong(file, `"Before" is neither "this" nor the name of a file: ${name}`);
  const text = name === "this" ? source : readFileSync(new URL(`${file.split("/")[0]}/before/${name}`, folder), "utf8");
  if (as === undefined) return { source: text, as: {} };
  const [, who, whose = ""] = /^(tool|agent) ([a-z0-9-]+)$/.exec(as) ?? [];
  if (who === undefined) throw wrong(file, `"Before as" is neither "tool NAME" nor "agent NAME": ${as}`);
  return { source: text, as: who === "tool" ? { tool: whose } : { agent: whose } };
}

function required(file: string, header: ReadonlyMap<string, string>, name: string): string {
  const value = header.get(name);
  if (value === undefined) throw wrong(file, `"${name}" is missing`);
  return value;
}

function wrong(file: string, what: string): Error {
  return new Error(`test/hostile/own/${file}: ${what}. The header is described in test/hostile/README.md.`);
}
