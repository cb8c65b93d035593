/**
 * Watches folders of a workspace, not files: a file that is replaced by renaming keeps being seen. An event only says
 * where to look; what changed is decided by content.
 */
import { statfsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { type FSWatcher, watch } from "chokidar";
import { messageOf } from "../core/errors.ts";
import type { Problem } from "../core/problem.ts";
import { IMPORTED_ENDINGS } from "./bundle/module-kind.ts";

/** Who is told. */
export interface WatchListeners {
  /** A file or folder at this absolute path changed. */
  readonly onEvent: (path: string) => void;
  /** Whether a file of this name matters, beside those whose endings are known. */
  readonly isNamed: (name: string) => boolean;
  /** Something happened in a watched folder; whether a file changed is to be looked at. */
  readonly onHint: () => void;
  /** Watching does not work, wholly or in part. */
  readonly onError: (reason: string) => void;
}

/** Time within which events of a folder arrive that is newly watched, in milliseconds. */
export const WATCH_START_MS = 200;

/** Folders that are never looked into. */
const IGNORED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules", ".toolyard"]);

/** Files that can matter. */
const WATCHED_FILE = new RegExp(`\\.(?:${IMPORTED_ENDINGS.join("|")})$`, "i");

/** File systems whose events come late or never, by their number in Linux' `statfs` (magic.h). */
const SILENT_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9p"],
  [0x65735546, "FUSE"],
  [0x786f4256, "vboxsf"],
]);

/** Name of the file system if events are known not to be dependable there. */
export function silentFileSystem(folder: string): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return SILENT_FILE_SYSTEMS.get(statfsSync(folder).type >>> 0);
  } catch {
    return undefined; // the folder is not there; loading tells that
  }
}

/** What is told where watching does not work, wholly or in part. */
export function watchProblem(message: string): Problem {
  const mend = "Serve with --poll; edits are live on the next call in any case, only notices to clients come late.";
  return { code: "WATCH", severity: "warning", place: { kind: "none" }, message, mend };
}

/** Watches a changing set of folders, each without those below it. */
export class FolderWatcher implements AsyncDisposable {
  readonly #watcher: FSWatcher;
  /** Which folder is watched at each path: another one at the same path has no events of its own. */
  #folders: ReadonlyMap<string, string>;
  /** Settles once events of the first folders arrive. */
  readonly ready: Promise<void>;

  constructor(folders: ReadonlySet<string>, { onEvent, isNamed, onHint, onError }: WatchListeners) {
    this.#folders = withIdentity(folders);
    this.#watcher = watch([...folders], {
      depth: 0,
      ignoreInitial: true,
      // Waiting for a rename to complete is done by the reader, which knows what is missing.
      atomic: false,
      persistent: false,
      ignored: (path, stats) => IGNORED_FOLDERS.has(basename(path)) || (stats?.isFile() === true && !WATCHED_FILE.test(path)),
    });
    this.#watcher.on("all", (_event, path) => onEvent(path));
    // Files of other endings, such as images that a resource names, have this event only. And the library drops an event if
    // size, time and inode are as it knew them, which a replaced file with an older time can have.
    this.#watcher.on("raw", (_event, path) => {
      if (typeof path !== "string" || WATCHED_FILE.test(path) || isNamed(basename(path))) onHint();
    });
    this.#watcher.on("error", (error) => onError(messageOf(error)));
    this.ready = new Promise((resolve) => this.#watcher.once("ready", resolve));
  }

  /** Watches exactly these folders from now on; true if some are new, whose events arrive only after a moment. */
  follow(folders: ReadonlySet<string>): boolean {
    const known = this.#folders;
    const wanted = withIdentity(folders);
    const added = [...wanted].filter(([folder, identity]) => known.get(folder) !== identity).map(([folder]) => folder);
    const gone = [...known].filter(([folder, identity]) => wanted.get(folder) !== identity).map(([folder]) => folder);
    this.#folders = wanted;
    if (gone.length > 0) this.#watcher.unwatch(gone);
    if (added.length > 0) this.#watcher.add(added);
    return added.length > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watcher.close();
  }
}

function withIdentity(folders: ReadonlySet<string>): ReadonlyMap<string, string> {
  return new Map([...folders].map((folder) => [folder, identityOf(folder)]));
}

function identityOf(folder: string): string {
  const stats = statSync(folder, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? "" : `${stats.dev} ${stats.ino}`;
}
