import { type BigIntStats, statSync } from "node:fs";

/** What tells at a glance that a file was written, replaced or moved; content is still compared by hash. */
export interface FileStamp {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
}

/**
 * Time within which two writes may get the same time stamp, in milliseconds: kernels stamp by a tick of 1 to 10 ms, FAT
 * by 2 s (there the size or the watcher must tell).
 */
const STAMP_GRAIN_MS = 50;

/** Stamp of the file a path leads to, symbolic links followed; undefined if there is none or it cannot be looked at. */
export function stampOf(path: string): FileStamp | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? undefined : toStamp(stats);
  } catch {
    return undefined; // a folder that may not be entered looks like a missing file; reading it tells the reason
  }
}

/** The stamp in the result of a stat. */
export function toStamp({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileStamp {
  return { device: dev, inode: ino, size, modifiedNs: mtimeNs, changedNs: ctimeNs };
}

/** True if nothing of the two stamps differs; two missing files are the same. */
export function isSameStamp(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.changedNs === b.changedNs && a.modifiedNs === b.modifiedNs && a.size === b.size && a.inode === b.inode && a.device === b.device;
}

/** False while a second write could still leave the stamp as it is, because the file changed right before it was read. */
export function isSettled(stamp: FileStamp | undefined, readAtMs: number): boolean {
  if (stamp === undefined) return true;
  const agoMs = readAtMs - Number(stamp.changedNs / 1_000_000n);
  // A stamp from a clock that runs ahead says nothing about order, so it counts as settled.
  return agoMs > STAMP_GRAIN_MS || agoMs < -1_000;
}
