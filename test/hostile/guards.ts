/** The guards of the sandbox, each as the change of its source that removes it. Applied to temporary copies only. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { borderGuards } from "./guards/border.ts";
import { leakGuards } from "./guards/leaks.ts";
import { limitGuards } from "./guards/limits.ts";
import { realmGuards } from "./guards/realm.ts";

/** One text of one source file, and what stands there once the guard is removed. */
export interface GuardChange {
  /** Such as `src/sandbox/isolate.ts`. */
  readonly file: string;
  /** Stands in the file exactly once, else the guard is stale. */
  readonly find: string;
  readonly replace: string;
}

/** What keeps a hostile script from its aim. */
export interface Guard {
  readonly name: string;
  /** One sentence: what it does. */
  readonly about: string;
  readonly changes: readonly GuardChange[];
}

/** Every guard, by name. Throws if two have one name. */
export function allGuards(): ReadonlyMap<string, Guard> {
  const guards = [...limitGuards, ...realmGuards, ...borderGuards, ...leakGuards];
  const byName = new Map<string, Guard>();
  for (const guard of guards) {
    if (byName.has(guard.name)) throw new Error(`Two guards of test/hostile/guards have the name "${guard.name}".`);
    byName.set(guard.name, guard);
  }
  return byName;
}

/** Removes the guard from the sources below the folder. Throws if it is stale: the text is not there, or twice. */
export function removeGuard(root: string, { name, changes }: Guard): void {
  for (const { file, find, replace } of changes) {
    const path = join(root, file);
    const text = readFileSync(path, "utf8");
    const parts = text.split(find);
    if (parts.length !== 2) throw new Error(`Guard "${name}" is stale: its text is ${parts.length - 1} times in ${file}, not once.`);
    writeFileSync(path, parts.join(replace));
  }
}
