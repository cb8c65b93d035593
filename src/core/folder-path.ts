import { relative, sep } from "node:path";

/** True if a path is a folder itself or lies below it; both are real paths. */
export function liesIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  // On Windows a path on another drive stays absolute.
  return way !== ".." && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(way);
}
