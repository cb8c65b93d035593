/**
 * Reads files of the workspace. What is read is a regular file that lies inside the workspace once links are resolved;
 * a pipe or device never blocks, and no file elsewhere is opened for its text.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { type FileStamp, stampOf, toStamp } from "./file-stamp.ts";

/** A file's bytes, or why there are none. Reasons never name paths outside the workspace. */
export type InsideFile =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly stamp: FileStamp; readonly realPath: string }
  | { readonly kind: "missing" }
  | { readonly kind: "outside" }
  | { readonly kind: "not-a-file" }
  | { readonly kind: "too-large"; readonly bytes: number }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Folder of the server's own files in a workspace; nothing in it is ever a tool. */
export const PRIVATE_FOLDER = ".toolyard";

/** A path as the files of a workspace name it, with "/" on every platform; undefined if it lies elsewhere. */
export function pathInside(root: string, path: string): string | undefined {
  const file = relative(root, path).split(sep).join("/");
  return file.startsWith("../") ? undefined : file;
}

/** Reads the file at a path relative to the workspace, at most `maxBytes`, opened once. Never throws. */
export function readInsideFile(root: string, path: string, maxBytes: number): InsideFile {
  let descriptor: number | undefined;
  try {
    const realRoot = realpathSync.native(root);
    const realPath = realpathSync.native(join(realRoot, path));
    if (!isInside(realRoot, realPath)) return { kind: "outside" };
    if (!lstatSync(realPath).isFile()) return { kind: "not-a-file" };
    // O_NOFOLLOW: the path has no links left, so one that is there now was put there since. O_NONBLOCK: a pipe put there does not hang.
    descriptor = openSync(realPath, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile()) return { kind: "not-a-file" };
    if (!isStillInside(descriptor, realRoot, realPath, stats.ino)) return { kind: "outside" };
    if (stats.size > BigInt(maxBytes)) return { kind: "too-large", bytes: Number(stats.size) };
    const bytes = readUpTo(descriptor, maxBytes + 1, Number(stats.size) + 1);
    if (bytes.length > maxBytes) return { kind: "too-large", bytes: bytes.length };
    return { kind: "read", bytes, stamp: toStamp(stats), realPath };
  } catch (error) {
    return failureOf(error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** True if `path` is below `root` and not in the server's own folder; both are real paths. */
function isInside(root: string, path: string): boolean {
  const folder = root.endsWith(sep) ? root : `${root}${sep}`;
  if (!path.startsWith(folder) || path === folder) return false;
  const end = path.indexOf(sep, folder.length);
  const first = path.slice(folder.length, end === -1 ? undefined : end);
  // Compared without regard to case, as file systems do that would open the folder under the other spelling.
  return first.toLowerCase() !== PRIVATE_FOLDER;
}

/** Stamp of a file of the workspace by its relative path, for a cheap look whether it changed. */
export function insideStamp(root: string, path: string): FileStamp | undefined {
  return stampOf(`${root}/${path}`);
}

/** A folder on the way may have been exchanged for a link between the look-up and the opening. */
function isStillInside(descriptor: number, realRoot: string, realPath: string, inode: bigint): boolean {
  if (process.platform === "linux") {
    const opened = openedPath(descriptor);
    // A file replaced while it is open is shown as deleted; its folder is still the one that was opened.
    if (opened !== undefined) return isInside(realRoot, opened.replace(/ \(deleted\)$/, ""));
  }
  return lstatSync(realPath, { bigint: true }).ino === inode && realpathSync.native(realPath) === realPath;
}

function openedPath(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined; // no /proc here; the caller compares inodes instead
  }
}

/** Reads to the end, whatever the size was before; `expected` bytes at first, so that most files are read at once. */
function readUpTo(descriptor: number, maxBytes: number, expected: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  // The read that meets the end is small: of a thousand scripts' files large ones would take megabytes for nothing.
  for (let size = expected, next = 1_024; total < maxBytes; size = next, next = Math.min(next * 4, 65_536)) {
    const chunk = Buffer.allocUnsafe(Math.min(size, maxBytes - total));
    const count = readSync(descriptor, chunk);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  return Buffer.concat(chunks);
}

/** Why opening or looking up a file failed, by what the system says. */
export function failureOf(error: unknown): Exclude<InsideFile, { kind: "read" | "outside" | "too-large" }> {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN";
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { kind: "missing" };
    case "ELOOP":
      return { kind: "unreadable", reason: "its symbolic links lead in a circle or changed while it was opened" };
    case "ENAMETOOLONG":
      return { kind: "unreadable", reason: "its name is longer than a file's can be" };
    case "EACCES":
    case "EPERM":
      return { kind: "unreadable", reason: "this user may not read it" };
    case "ENXIO":
    case "EISDIR":
      return { kind: "not-a-file" };
    default:
      return { kind: "unreadable", reason: `reading it failed with ${code}` };
  }
}
