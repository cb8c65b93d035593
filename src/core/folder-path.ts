import { realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { systemCode } from "./errors.ts";

/** True if a path is a folder itself or lies below it; both are real paths. */
export function liesIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  // On Windows a path on another drive stays absolute.
  return way !== ".." && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(way);
}

/**
 * The same for any paths, of which what is there is looked up: links are followed, and names that are one to the file system
 * are one. What is not there yet counts as it is written. Throws what the system says of a path that cannot be looked at.
 */
export function liesWithin(path: string, folder: string): boolean {
  return liesIn(realPathOf(path), realPathOf(folder));
}

function realPathOf(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync.native(whole);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || dirname(whole) === whole) throw error;
    return join(realPathOf(dirname(whole)), basename(whole));
  }
}
