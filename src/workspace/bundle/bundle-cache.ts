/**
 * Bundles kept between two starts, in toolyard's own folder. A file is used only if nobody else can write it, and only for
 * exactly the files it was made of, which are read and hashed again; what it holds runs in the sandbox like any script.
 */
import { createHash } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { readPrivateFile, replacePrivateFile } from "../../core/private-file.ts";
import type { BundleInputs } from "./module-files.ts";

/** Most files kept, and their size together. */
const MAX_FILES = 500;
const MAX_BYTES = 64 * 1_048_576;

/** Largest file: bundle, map and the list of files. */
const MAX_FILE_BYTES = 32 * 1_048_576;

/** Age after which a bundle that was not made again is removed, in milliseconds. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;

const STORED = z.strictObject({
  format: z.literal(1),
  key: z.string(),
  inputs: z.array(z.tuple([z.string(), z.string()])),
  source: z.string(),
  map: z.string(),
  /** Files that are the author's own. */
  own: z.array(z.string()),
  /** SHA-256 of source and map: a disk that lost a part of the file is noticed. */
  check: z.string(),
});

/** A kept bundle. */
export interface CachedBundle {
  readonly key: string;
  readonly inputs: BundleInputs;
  readonly source: string;
  readonly map: string;
  readonly own: readonly string[];
}

/** Kept bundles by name. A cache that cannot be read or written costs time and is no error. */
export interface BundleCache {
  read(name: string): CachedBundle | undefined;
  write(name: string, bundle: CachedBundle): void;
}

/** The cache in this folder, which is made at the first writing. */
export function createBundleCache(folder: string, log: Log): BundleCache {
  const pathOf = (name: string): string => join(folder, `${createHash("sha256").update(name).digest("hex").slice(0, 40)}.json`);
  return {
    read(name) {
      try {
        const file = readPrivateFile(pathOf(name), MAX_FILE_BYTES);
        if (file === undefined) return undefined;
        const stored = STORED.parse(JSON.parse(file.text));
        return stored.check === checkOf(stored) ? { ...stored, inputs: new Map(stored.inputs) } : undefined;
      } catch (error) {
        log.warn("bundle.cache.unreadable", { reason: messageOf(error) });
        return undefined;
      }
    },
    write(name, { key, inputs, source, map, own }) {
      try {
        const stored = { format: 1, key, inputs: [...inputs], source, map, own, check: checkOf({ source, map }) };
        replacePrivateFile(pathOf(name), JSON.stringify(stored), { backup: "none" });
        removeOld(folder);
      } catch (error) {
        log.warn("bundle.cache.unwritable", { reason: messageOf(error) });
      }
    },
  };
}

function checkOf({ source, map }: { readonly source: string; readonly map: string }): string {
  return createHash("sha256")
    .update(JSON.stringify([source, map]))
    .digest("hex");
}

/** Removes what is old, then the oldest until the rest is within the bounds. */
function removeOld(folder: string): void {
  const files = readdirSync(folder)
    .map((name) => ({ path: join(folder, name), stats: statSync(join(folder, name), { throwIfNoEntry: false }) }))
    .flatMap(({ path, stats }) => (stats === undefined ? [] : [{ path, bytes: stats.size, writtenMs: stats.mtimeMs }]))
    .sort((a, b) => b.writtenMs - a.writtenMs);
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    bytes += file.bytes;
    const isOver = index >= MAX_FILES || bytes > MAX_BYTES || Date.now() - file.writtenMs > MAX_AGE_MS;
    if (isOver) rmSync(file.path, { force: true });
  }
}
