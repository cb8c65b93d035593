/**
 * Secrets of containers: a folder with one file per secret, as Docker and Kubernetes mount them. The vault says which names
 * there are and where each may go; a file replaces the value alone. Read anew at each call, so a changed file is live.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf, systemCode, ToolError } from "../core/errors.ts";
import { liesIn, liesWithin } from "../core/folder-path.ts";
import { Secret } from "../core/secret.ts";
import { parseSecretValue, weaknessOf } from "./secret-value.ts";
import type { FoundSecret, Vault } from "./vault.ts";

/** What calls and listings need of a vault. */
export type SecretVault = Pick<Vault, "list" | "resolve">;

/** See {@link withSecretFolder}. */
export interface SecretFolderOptions {
  /** Folder with one file per secret, named as it is. */
  readonly dir: string;
  /** The workspace, in which the folder must not lie. */
  readonly workspaceRoot: string;
}

/** The largest value and a line break behind it. */
const MAX_BYTES = 65_538;

const STICKY = 0o1000;

/**
 * A vault whose values are those of a folder where it has a file of the name; names, bindings and scopes stay the vault's,
 * which has to open. Throws `ToolError` STORE_ERROR for a folder that is missing, lies in the workspace, or that others
 * can write to; `resolve` does so for a file that leads out of the folder, is no regular file, that others can write to,
 * or whose content no secret can have.
 */
export function withSecretFolder(vault: SecretVault, options: SecretFolderOptions): SecretVault {
  // Asked at once, so that a server does not start with a mistyped path.
  checkedFolder(options);
  return {
    list: (scope) => vault.list(scope),
    async resolve(workspaceId, names, trustedGlobal) {
      const resolved = await vault.resolve(workspaceId, names, trustedGlobal);
      return new Map([...resolved].map(([name, found]) => [name, found.kind === "found" ? withFile(name, found, options) : found]));
    },
  };
}

function withFile(name: string, found: FoundSecret, options: SecretFolderOptions): FoundSecret {
  const text = readSecretFile(name, checkedFolder(options));
  if (text === undefined) return found;
  try {
    // Whoever stored a weak value has accepted one.
    const secret = parseSecretValue(name, new Secret(text), { allowShort: weaknessOf(found.secret) !== undefined, purpose: "use" });
    return { ...found, secret };
  } catch (error) {
    throw refused(`the file ${name}`, `cannot be used. ${messageOf(error)}`, error);
  }
}

/** The folder's own path, looked at anew each time: mounts change while a server runs. */
function checkedFolder({ dir, workspaceRoot }: SecretFolderOptions): string {
  let real: string;
  let stats: Stats;
  try {
    real = realpathSync(dir);
    stats = statSync(real);
  } catch (error) {
    throw refused("the folder", `cannot be opened (${systemCode(error)}). Name a folder with one file per secret.`, error);
  }
  if (!stats.isDirectory()) throw refused("the folder", "is none. Name a folder with one file per secret.");
  if (liesWithin(real, workspaceRoot)) {
    throw refused("the folder", "lies in the workspace, where whoever edits the workspace can read and replace it. Move it elsewhere.");
  }
  refuseSharedFolder(stats);
  return real;
}

/**
 * The file's text; undefined where there is none. A link counts as long as it stays in the folder: Kubernetes puts
 * `NAME -> ..data/NAME` there. What was checked is what is read, through one descriptor.
 */
function readSecretFile(name: string, folder: string): string | undefined {
  const what = `the file ${name}`;
  let descriptor: number;
  try {
    const real = realpathSync(join(folder, name));
    if (!liesIn(real, folder)) throw refused(what, "is a link that leads out of the folder. Put the file itself there.");
    refuseSharedFolder(statSync(dirname(real)));
    // Without O_NONBLOCK a pipe in its place would hold the server for ever.
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (error instanceof ToolError) throw error;
    throw refused(what, `cannot be opened (${systemCode(error)}). Give this user the right to read it.`, error);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw refused(what, "is not a regular file. Put a file there that holds the value.");
    if (stats.size > MAX_BYTES) throw refused(what, "is over 64 KiB. Put the value there and nothing else.");
    if (isWritableByOthers(stats)) throw refused(what, "can be written to by other users, or is theirs. Run chmod go-w, or chown, on it.");
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(descriptor));
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw refused(what, error instanceof TypeError ? "is not text in UTF-8." : `cannot be read (${systemCode(error)}).`, error);
  } finally {
    closeSync(descriptor);
  }
}

/** Kubernetes mounts its folders open to all, with the sticky bit: what is there can be replaced by its owner alone. */
function refuseSharedFolder(stats: Stats): void {
  const isSticky = (stats.mode & STICKY) !== 0 && isOwn(stats);
  if (isSticky || !isWritableByOthers(stats)) return;
  throw refused("the folder", "can be written to by other users, or is theirs. Run chmod go-w, or chown, on it.");
}

function isWritableByOthers(stats: Stats): boolean {
  return process.platform !== "win32" && ((stats.mode & 0o022) !== 0 || !isOwn(stats));
}

/** Root's files are what a container finds mounted. */
function isOwn({ uid }: Stats): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

/** Callers see these messages, so they name no path. */
function refused(what: string, found: string, cause?: unknown): ToolError {
  return new ToolError("STORE_ERROR", `--secrets-dir: ${what} ${found}`, { cause });
}
