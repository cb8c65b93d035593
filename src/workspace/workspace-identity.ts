/**
 * Who a workspace is: a random id in its own folder, so that a moved or copied folder can be told from the one that was
 * trusted. Nothing outside the workspace is written, also where the folder's content came from somebody else.
 */
import {
  accessSync,
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { systemCode, ToolError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { isFolder } from "./folder-presence.ts";
import { PRIVATE_FOLDER } from "./inside-file.ts";

/** Identity of a workspace. */
export interface WorkspaceIdentity {
  /** Letters, digits and "-"; fit for a file name. */
  readonly id: string;
  /** `inode`: the folder is read-only, or its `.toolyard` is another user's own, so its device and inode stand for it. */
  readonly kind: "file" | "inode";
  /** Folder of the workspace with links resolved; goes into what is trusted, next to the id. */
  readonly realPath: string;
  /** The server's own folder in the workspace; absent where it cannot be written. */
  readonly dir?: string;
}

const ID_FILE = "id";

/** As `newId` makes them. */
const ID = /^[0-9a-v]{26}$/;

/**
 * The identity, made with its folder (0700) if there is none yet. Only for what needs it (serving, trust, secrets).
 * Throws `ToolError` STORE_ERROR if the folder or the id is something else than this server makes, WORKSPACE_BROKEN if
 * the workspace itself is gone.
 */
export function workspaceIdentity(root: string): WorkspaceIdentity {
  const realPath = realPathOf(root);
  const known = existingIdentity(root);
  if (known !== undefined) return known;
  const dir = join(realPath, PRIVATE_FOLDER);
  try {
    makeFolder(dir);
    writeOnce(join(dir, ".gitignore"), "*\n");
    writeOnce(join(dir, ID_FILE), `${newId()}\n`);
  } catch (error) {
    if (["EROFS", "EACCES", "EPERM"].includes(systemCode(error))) return inodeIdentity(realPath);
    throw storeError(`The folder ${PRIVATE_FOLDER} of the workspace could not be made (${systemCode(error)}).`, error);
  }
  return { id: readId(dir), kind: "file", realPath, dir };
}

/**
 * The identity the folder has already: an id made before, by this server or the one that wrote the folder, or what a
 * read-only folder has by itself. Writes nothing. Throws as `workspaceIdentity`.
 */
export function existingIdentity(root: string): WorkspaceIdentity | undefined {
  const realPath = realPathOf(root);
  const dir = join(realPath, PRIVATE_FOLDER);
  const stats = lstatSync(dir, { throwIfNoEntry: false });
  if (stats === undefined) return canWrite(realPath) ? undefined : inodeIdentity(realPath);
  refuseForeignFolder(stats.isDirectory());
  const id = entryOf(join(dir, ID_FILE));
  // Another user of this machine made the folder for itself. To us it is like a read-only workspace: we can keep no id there.
  if (id === "closed") return inodeIdentity(realPath);
  if (id === undefined) return canWrite(dir) ? undefined : inodeIdentity(realPath);
  return { id: readId(dir), kind: "file", realPath, dir };
}

/** Changes when another folder, or another id, stands at the path; two system calls. */
export function identitySignature(root: string): string {
  const folder = statSync(root, { bigint: true, throwIfNoEntry: false });
  const id = entryOf(join(root, PRIVATE_FOLDER, ID_FILE));
  const ofId = id === undefined || id === "closed" ? [id] : [id.ino, id.size, id.mtimeNs, id.ctimeNs];
  return [folder?.dev, folder?.ino, ...ofId].join(" ");
}

function realPathOf(root: string): string {
  if (isFolder(root)) return realpathSync(root);
  throw new ToolError(
    "WORKSPACE_BROKEN",
    `The folder of this workspace, ${root}, is gone; until it is back, its secrets and what it is trusted with are off. Put it back and call again; no restart is needed.`,
  );
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false; // Whatever the reason, an id could not be made there.
  }
}

/** What stands there; undefined: nothing; `closed`: in a folder that this user may not look into. */
function entryOf(path: string): BigIntStats | "closed" | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === "EACCES") return "closed";
    throw storeError(`${PRIVATE_FOLDER} of the workspace could not be looked into (${systemCode(error)}).`, error);
  }
}

function inodeIdentity(realPath: string): WorkspaceIdentity {
  const { dev, ino } = statSync(realPath, { bigint: true });
  return { id: `inode-${dev}-${ino}`, kind: "inode", realPath };
}

function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    refuseForeignFolder(lstatSync(dir).isDirectory());
    // A folder that came with a clone or archive has the rights of that.
    chmodSync(dir, 0o700);
  }
}

/** A link in its place would have the server write wherever it points. */
function refuseForeignFolder(isFolder: boolean): void {
  if (isFolder) return;
  throw storeError(`${PRIVATE_FOLDER} in the workspace is a link or a file, not a folder. Remove it; the server makes its own.`);
}

/** Writes a file that is complete the moment it exists; where there is one already it stays. */
function writeOnce(path: string, text: string): void {
  const temporary = `${path}.${newId()}`;
  writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
  try {
    linkSync(temporary, path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") return;
    // File systems without hard links (FAT): two servers that start in the same millisecond could disagree there.
    if (code === "EPERM" || code === "ENOTSUP" || code === "EOPNOTSUPP") writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    else throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function readId(dir: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(join(dir, ID_FILE), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    const id = stats.isFile() && stats.size < 1_000 ? readFileSync(descriptor, "utf8").trim() : "";
    if (ID.test(id)) return id;
  } catch (error) {
    throw storeError(`${PRIVATE_FOLDER}/${ID_FILE} of the workspace could not be read (${systemCode(error)}).`, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
  throw storeError(
    `${PRIVATE_FOLDER}/${ID_FILE} of the workspace holds no id. Remove it; the workspace then gets a new one and must be trusted again.`,
  );
}

function storeError(message: string, cause?: unknown): ToolError {
  return new ToolError("STORE_ERROR", message, cause === undefined ? {} : { cause });
}
