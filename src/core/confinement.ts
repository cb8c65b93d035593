/**
 * What Linux can take from a child process beyond what Node can, without root and without native code of ours: small
 * programs of the system are put in front of Node, and each changes the process and then becomes the next, so that it keeps
 * its id, its pipes and its parent. Never looks a program up in PATH, and never takes one that others can change.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { text } from "node:stream/consumers";
import { messageOf } from "./errors.ts";

/**
 * `dumps`: no core dumps. `privileges`: no program started by it gets more rights (no_new_privs of prctl(2)). `namespace`: a user and
 * network namespace of its own, so no network, not even loopback, and no look into the memory of processes outside, such as the server.
 */
export const GUARD_NAMES = ["dumps", "privileges", "namespace"] as const;

/** One of {@link GUARD_NAMES}. */
export type GuardName = (typeof GUARD_NAMES)[number];

/** What can be had here. */
export interface Confinement {
  /** Program and arguments to put before those of a child; empty where nothing can be had. */
  readonly prefix: readonly string[];
  /** Why a guard is not had; those that are had are missing here. */
  readonly missing: ReadonlyMap<GuardName, string>;
}

/** Where it is looked for; the defaults are right but for tests. */
export interface ConfinementPlace {
  /** Folders of programs, the first that has one wins. */
  readonly folders?: readonly string[];
  readonly platform?: NodeJS.Platform;
}

/** A guard: its program, and what shows in the texts of {@link PROOFS} that it took effect. */
interface Guard {
  readonly name: GuardName;
  readonly program: string;
  readonly args: readonly string[];
  readonly proof: RegExp;
}

/** The last is where NixOS keeps them. All are root's; PATH may lead into a workspace. */
export const PROGRAM_FOLDERS = ["/usr/bin", "/bin", "/run/current-system/sw/bin"];

/** Longest time of one trial, in milliseconds; usual are 5 to 20. */
const TRIAL_MS = 2_000;

/** Longest reason that is told, in characters. */
const REASON_CHARACTERS = 200;

/** What the process is asked for itself in a trial: that a program ended well does not show that it did anything. */
const PROOFS = ["/proc/self/status", "/proc/self/limits", "/proc/self/net/route", "/proc/self/uid_map"];

const GUARDS: readonly Guard[] = [
  { name: "dumps", program: "prlimit", args: ["--core=0:0"], proof: /^Max core file size +0 +0 /m },
  { name: "privileges", program: "setpriv", args: ["--no-new-privs"], proof: /^NoNewPrivs:\t1$/m },
  // No user is mapped: a process without one in its namespace cannot make another namespace, and loses what root may do.
  // The proof is a table of routes and a map of users with nothing in them.
  { name: "namespace", program: "unshare", args: ["-U", "-n"], proof: /^Max realtime timeout [^\n]*\n(?:Iface\t[^\n]*\n)?(?![\s\S])/m },
];

/** Finds what can be had, by trying it: 10 to 20 ms where all can. Never throws: what cannot be had is told with its reason. */
export async function findConfinement({
  folders = PROGRAM_FOLDERS,
  platform = process.platform,
}: ConfinementPlace = {}): Promise<Confinement> {
  if (platform !== "linux") return without("it is for Linux only");
  const reader = findProgram("cat", folders);
  if (reader.kind === "missing") return without(reader.reason);
  const trial = (guards: readonly Guard[]): Promise<string | undefined> => tryGuards(guards, folders, reader.path);
  if ((await trial(GUARDS)) === undefined) return { prefix: prefixOf(GUARDS, folders), missing: new Map() };
  const results = await Promise.all(GUARDS.map(async (guard) => ({ guard, reason: await trial([guard]) })));
  const missing = new Map(results.flatMap(({ guard, reason }) => (reason === undefined ? [] : [[guard.name, reason] as const])));
  const had = GUARDS.filter(({ name }) => !missing.has(name));
  const reason = had.length < GUARDS.length ? await trial(had) : "they do not work together";
  return reason === undefined ? { prefix: prefixOf(had, folders), missing } : without(reason);
}

/** The command with the guards in front. A process that cannot be confined ends by itself, before it has done anything. */
export function confined<Command extends { readonly program: string; readonly args: readonly string[] }>(
  command: Command,
  { prefix }: Pick<Confinement, "prefix">,
): Command {
  const [program, ...args] = [...prefix, command.program, ...command.args];
  return { ...command, program: program ?? command.program, args };
}

function without(reason: string): Confinement {
  return { prefix: [], missing: new Map(GUARD_NAMES.map((name) => [name, reason])) };
}

/** Undefined if all took effect together, else the reason. */
async function tryGuards(guards: readonly Guard[], folders: readonly string[], reader: string): Promise<string | undefined> {
  for (const { program } of guards) {
    const found = findProgram(program, folders);
    if (found.kind === "missing") return found.reason;
  }
  const { program, args } = confined({ program: reader, args: PROOFS }, { prefix: prefixOf(guards, folders) });
  const child = spawn(program, args, { env: {}, cwd: "/", stdio: ["ignore", "pipe", "pipe"], timeout: TRIAL_MS, killSignal: "SIGKILL" });
  try {
    const [said, complaint, ended] = await Promise.all([text(child.stdout), text(child.stderr), endOf(child)]);
    if (ended !== "0") return firstLine(complaint) ?? `${program} ended with ${ended}`;
    const unproved = guards.find(({ proof }) => !proof.test(said));
    return unproved === undefined ? undefined : `${unproved.program} had no effect`;
  } catch (error) {
    // It could not be started at all: a limit on processes, or no right to run it.
    return firstLine(messageOf(error));
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  const [code, signal]: unknown[] = await once(child, "exit");
  return String(signal ?? code);
}

function firstLine(said: string): string | undefined {
  const [line = ""] = said.trim().split("\n", 1);
  return line === "" ? undefined : line.slice(0, REASON_CHARACTERS);
}

function prefixOf(guards: readonly Guard[], folders: readonly string[]): readonly string[] {
  return guards.flatMap(({ program, args }) => {
    const found = findProgram(program, folders);
    return found.kind === "found" ? [found.path, ...args] : [];
  });
}

/** A program of the system that can be put in front of a child, or why not. */
export type Found = { readonly kind: "found"; readonly path: string } | { readonly kind: "missing"; readonly reason: string };

/** Looks in the folders, the first that has it wins. */
export function findProgram(name: string, folders: readonly string[]): Found {
  for (const folder of folders) {
    const path = `${folder}/${name}`;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    // What is put in front of a sandbox process must not be a file that a workspace's author can write.
    if (stats.isFile() && stats.uid === 0 && (stats.mode & 0o022) === 0) return { kind: "found", path };
    return { kind: "missing", reason: `${path} is not a program that only root can change` };
  }
  return { kind: "missing", reason: `there is no ${name} in ${folders.join(", ")}` };
}
