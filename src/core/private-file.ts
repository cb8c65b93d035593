/**
 * Files of ours that only their owner may read: 0600, in a folder nobody else can write to. Read in one piece with a
 * signature that tells whether they changed; replaced in one piece, so that a crash at any moment leaves the old or the
 * new content, never a mixture.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode, ToolError } from "./errors.ts";
import { newId } from "./ids.ts";
import { makeFolder } from "./make-folder.ts";

/** What was read. */
export interface PrivateFile {
  readonly text: string;
  readonly signature: string;
}

/** How a file is replaced. */
export interface ReplaceOptions {
  /** What `<path>.bak` holds afterwards: the content before, the content now (nothing of the one before stays on disk), or no matter. */
  readonly backup: "previous" | "same" | "none";
  /** Called right before the change takes effect; what it throws leaves the old file in place. */
  readonly beforeCommit?: () => void;
}

/** Inode, size and times of a file as one text, undefined where there is none. One system call; differs after any change. */
export function fileSignature(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : signatureOf(stat);
  } catch (error) {
    throw storeError(`${path} could not be looked at (${systemCode(error)}).`, error);
  }
}

/** Makes the folder with rights for the owner only. One that exists keeps its rights, but others must not be able to write to it. */
export function ensurePrivateFolder(path: string): void {
  makeFolder(path, 0o700);
  refuseSharedFolder(path);
}

/**
 * The whole file as text, undefined where there is none. Throws `ToolError` STORE_ERROR for a symbolic link, anything but
 * a regular file, more than `maxBytes`, text that is not UTF-8, another owner, and rights for group or others (the last two
 * not on Windows).
 */
export function readPrivateFile(path: string, maxBytes: number): PrivateFile | undefined {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a pipe put in place of the file would hold the server for ever. Windows has neither flag (undefined counts as 0).
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    const found =
      systemCode(error) === "ELOOP" ? "is a symbolic link, which is not followed here" : `could not be opened (${systemCode(error)})`;
    throw storeError(`${path} ${found}.`, error);
  }
  try {
    const stat = fstatSync(descriptor, { bigint: true });
    if (!stat.isFile()) throw storeError(`${path} is not a regular file.`);
    if (stat.size > BigInt(maxBytes)) throw storeError(`${path} has ${stat.size} bytes; at most ${maxBytes} are read.`);
    if (process.platform !== "win32" && Number(stat.uid) !== process.geteuid?.()) {
      throw storeError(`${path} belongs to another user of this machine. Run toolyard as that user, or give this one a copy: chown.`);
    }
    if (process.platform !== "win32" && (Number(stat.mode) & 0o077) !== 0) {
      throw storeError(`${path} can be read or written by other users of this machine. Run: chmod 600 '${path}'`);
    }
    refuseSharedFolder(dirname(path));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(descriptor));
    return { text, signature: signatureOf(stat) };
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw storeError(`${path} could not be read (${error instanceof TypeError ? "it is not UTF-8" : systemCode(error)}).`, error);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Replaces the file as one step and makes it last (fsync of file and folder). Throws `ToolError` STORE_ERROR; the old file
 * is then unchanged, unless only the folder's fsync failed.
 */
export function replacePrivateFile(path: string, text: string, { backup, beforeCommit }: ReplaceOptions): void {
  const folder = dirname(path);
  ensurePrivateFolder(folder);
  const unique = `${path}.${newId()}`;
  try {
    writeNew(`${unique}.tmp`, text);
    // A file of its own: a second name of the same one would be damaged with it. Before the change, so that a full disk changes nothing.
    if (backup === "same") writeNew(`${unique}.bak`, text);
    beforeCommit?.();
    if (backup === "previous") keepPrevious(path, unique);
    // Without a backup for a moment rather than with one that holds what this change takes away, whenever the process dies.
    if (backup === "same") rmSync(`${path}.bak`, { force: true });
    renameSync(`${unique}.tmp`, path);
    if (backup === "same") renameSync(`${unique}.bak`, `${path}.bak`);
    syncFolder(folder);
  } catch (error) {
    rmSync(`${unique}.tmp`, { force: true });
    rmSync(`${unique}.bak`, { force: true });
    if (error instanceof ToolError) throw error;
    throw storeError(`${path} could not be written (${systemCode(error)}). Check free space and the folder's rights.`, error);
  }
}

/** Renames a private file of ours within its folder, over one that may stand there, and makes it last. Throws `ToolError` STORE_ERROR. */
export function movePrivateFile(from: string, to: string): void {
  try {
    renameSync(from, to);
    syncFolder(dirname(to));
  } catch (error) {
    throw storeError(`${from} could not be renamed to ${basename(to)} (${systemCode(error)}). Check the folder's rights.`, error);
  }
}

/** Removes a private file of ours, if it is there, and makes that last. Throws `ToolError` STORE_ERROR. */
export function removePrivateFile(path: string): void {
  try {
    rmSync(path, { force: true });
    syncFolder(dirname(path));
  } catch (error) {
    throw storeError(`${path} could not be removed (${systemCode(error)}). Check the folder's rights.`, error);
  }
}

/** Writes a file that must not exist yet, 0600, and makes it last. False, and nothing changed, if there is one. */
export function createPrivateFile(path: string, text: string): boolean {
  const unique = `${path}.${newId()}.tmp`;
  ensurePrivateFolder(dirname(path));
  try {
    writeNew(unique, text);
    // A link fails where the name exists and shows the file only when it is whole.
    linkSync(unique, path);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw storeError(`${path} could not be made (${systemCode(error)}). Check free space and the folder's rights.`, error);
  } finally {
    rmSync(unique, { force: true });
  }
}

/** Removes what a killed writer of this file left. Call it only while holding the file's lock. */
export function removeLeftovers(path: string): void {
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(prefix) && /^[0-9a-v]{26}\.(?:tmp|bak)$/.test(name.slice(prefix.length))) {
      rmSync(join(dirname(path), name), { force: true });
    }
  }
}

function writeNew(path: string, text: string): void {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    // The umask may have taken the owner's own rights.
    fchmodSync(descriptor, 0o600);
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Link and rename instead of a copy: the backup, too, is whole at every moment. */
function keepPrevious(path: string, unique: string): void {
  try {
    linkSync(path, `${unique}.bak`);
  } catch (error) {
    // There is nothing to keep before the first write.
    if (systemCode(error) === "ENOENT") return;
    throw error;
  }
  renameSync(`${unique}.bak`, `${path}.bak`);
  // Renaming one name of a file onto another name of the same file does nothing (POSIX), which would leave this one.
  rmSync(`${unique}.bak`, { force: true });
}

function syncFolder(folder: string): void {
  // Windows has no fsync of folders.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Who can write to the folder can put another file in place of ours, whatever its rights. */
function refuseSharedFolder(folder: string): void {
  if (process.platform === "win32") return;
  const { mode, uid } = statSync(folder);
  if (uid !== process.geteuid?.() && uid !== 0) {
    throw storeError(`The folder ${folder} belongs to another user of this machine. Run toolyard as that user, or choose another folder.`);
  }
  if ((mode & 0o022) !== 0) {
    throw storeError(`The folder ${folder} can be written to by other users of this machine. Run: chmod 700 '${folder}'`);
  }
}

function signatureOf(stat: { ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint }): string {
  return `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

function storeError(message: string, cause?: unknown): ToolError {
  return new ToolError("STORE_ERROR", message, { cause, audience: "operator" });
}
