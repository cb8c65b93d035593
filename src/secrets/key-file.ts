import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { systemCode, ToolError } from "../core/errors.ts";
import { liesWithin } from "../core/folder-path.ts";
import { Secret } from "../core/secret.ts";

/** What is demanded of a file that holds a key or passphrase. */
export interface KeyFileRules {
  /** How messages call the file; they hold no path, since callers may see them. */
  readonly what: string;
  /** The folder that must not hold it, since whoever edits the workspace could read or replace it there. */
  readonly workspaceRoot: string | undefined;
  /** `"own"`: belongs to this user and nobody else has rights. `"mounted"`: placed by the service manager, which guards it its own way. */
  readonly rights: "own" | "mounted";
}

/** A key takes 44 characters; a passphrase hardly more than this. */
const MAX_BYTES = 4_096;

/**
 * The file's text without one line break at its end. Throws `ToolError` VAULT_LOCKED if it is missing, a symbolic link,
 * not a regular file, readable by others, somebody else's, or inside the workspace.
 */
export function readKeyFile(path: string, rules: KeyFileRules): Secret {
  let descriptor: number;
  try {
    // Checked and read through one descriptor, so that nothing can be put in its place in between. Without O_NONBLOCK a pipe would wait for ever.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") throw locked(rules, "does not exist", "Give its path, or put the file back", error);
    if (code === "ELOOP") throw locked(rules, "is a symbolic link", "Name the file itself", error);
    throw locked(rules, `cannot be opened (${code})`, "Give this user the right to read it", error);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw locked(rules, "is not a regular file", "Name a regular file");
    if (stat.size > MAX_BYTES) throw locked(rules, `is over ${MAX_BYTES} bytes`, "Name the file that holds only the key");
    if (process.platform !== "win32") {
      const others = rules.rights === "own" ? 0o077 : 0o022;
      if ((stat.mode & others) !== 0) throw locked(rules, "can be used by other users of this machine", "Run chmod 600 on it");
      if (rules.rights === "own" && stat.uid !== process.geteuid?.()) {
        throw locked(rules, "belongs to another user", "Run chown on it, or name a file of this user");
      }
    }
    if (rules.workspaceRoot !== undefined && liesWithin(path, rules.workspaceRoot)) {
      throw locked(rules, "lies inside the workspace", "Move it elsewhere: whoever edits the workspace could read it there");
    }
    return new Secret(readFileSync(descriptor, "utf8").replace(/\r?\n$/, ""));
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw locked(rules, `cannot be read (${systemCode(error)})`, "Check the file", error);
  } finally {
    closeSync(descriptor);
  }
}

function locked({ what }: KeyFileRules, found: string, mend: string, cause?: unknown): ToolError {
  return new ToolError("VAULT_LOCKED", `The vault stays locked: ${what} ${found}. ${mend}.`, { cause });
}
