/** A guard of secrets and requests, as the change of its source that removes it, and the tests that then have to fail. */
import type { Guard } from "../hostile/guards.ts";

/** See above. `tests`: one or two files, in whichever at least one test fails without the guard. */
export interface SecurityGuard extends Guard {
  readonly tests: readonly string[];
}

/** Guards of one file that the same tests stand for: name, what it does, the text that is the guard, and what stands there without it. */
export function guardsOf(
  file: string,
  tests: readonly string[],
  rows: readonly (readonly [name: string, about: string, find: string, replace: string, ...tests: readonly string[]])[],
): readonly SecurityGuard[] {
  return rows.map(([name, about, find, replace, ...own]) => ({
    name,
    about,
    changes: [{ file, find, replace }],
    tests: own.length > 0 ? own : tests,
  }));
}
