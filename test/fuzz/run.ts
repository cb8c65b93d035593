/** Runs of the fuzz in processes of their own, on this repository's code or on a copy with a fault. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Layer } from "./guest-side.ts";
import type { PlantedFault } from "./planted-faults.ts";
import type { Tally } from "./report.ts";

/** What a run is asked for. */
export interface RunOrder {
  /** The folder that holds `src/`. */
  readonly root: string;
  readonly seed: number;
  /** It ends with this many messages, or at its first finding. */
  readonly messages: number;
  readonly stages: readonly ("lines" | "conversations" | "guest")[];
  /** "both" by default. */
  readonly layer?: Layer;
}

/** What a run found. A crash of its process is a finding too. */
export interface RunReport extends Tally {
  /** Host processes of the guest's side. */
  readonly hosts: number;
  /** Well-behaved calls that were answered, one after each round. */
  readonly goodCalls: number;
  readonly seconds: number;
  /** Resident memory of the server's side after the first rounds and at the end, in MiB. */
  readonly rssMb: { readonly early: number; readonly late: number };
}

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

/** Runs the fuzz on this repository's code unless another root is named. Throws if the process ends without a report. */
export async function runFuzz(order: Omit<RunOrder, "root"> & { readonly root?: string }): Promise<RunReport> {
  const child = spawn(process.execPath, [MAIN, JSON.stringify({ root: REPOSITORY, ...order })], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (stdout === "") throw new Error(`The run ended with exit code ${code} and without a report: ${stderr.slice(-2_000)}`);
  return JSON.parse(stdout);
}

/** Runs the fuzz on a copy of the code with the fault. Throws if a text of the fault is not there exactly once. */
export async function runPlanted(fault: PlantedFault, order: Omit<RunOrder, "root">): Promise<RunReport> {
  const root = mkdtempSync(join(tmpdir(), "planted-"));
  try {
    cpSync(join(REPOSITORY, "src"), join(root, "src"), { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
    cpSync(join(REPOSITORY, "package.json"), join(root, "package.json"));
    // One by one: a host may read the packages it needs, wherever their links lead, and not the folder of all of them.
    mkdirSync(join(root, "node_modules"));
    for (const name of readdirSync(join(REPOSITORY, "node_modules"))) {
      symlinkSync(join(REPOSITORY, "node_modules", name), join(root, "node_modules", name), "dir");
    }
    for (const { file, find, replace } of fault.changes) {
      const source = readFileSync(join(root, file), "utf8");
      const parts = source.split(find);
      if (parts.length !== 2) throw new Error(`${fault.name}: ${file} holds the text ${parts.length - 1} times: ${find}`);
      writeFileSync(join(root, file), parts.join(replace));
    }
    return await runFuzz({ ...order, root });
  } finally {
    rmSync(root, { recursive: true });
  }
}
