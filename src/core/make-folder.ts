import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { systemCode, ToolError } from "./errors.ts";

/**
 * Makes the folder and those above it that are missing, each with the rights `mode` (default 0777 less the umask); one
 * that is there stays as it is. Folders are made one by one: the recursive form of Node never returns where an existing
 * folder takes none (`/proc`). Throws `ToolError` STORE_ERROR that names the first folder that could not be made, or what
 * stands in its place.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = [];
  let at = path.resolve(folder);
  while (kindAt(at) === "nothing") {
    missing.unshift(at);
    at = path.dirname(at);
  }
  if (kindAt(at) === "other") throw storeError(`${at} is not a folder`);
  for (const next of missing) {
    try {
      mkdirSync(next, { mode });
    } catch (error) {
      // Another process may have made it meanwhile.
      if (systemCode(error) === "EEXIST" && kindAt(next) === "folder") continue;
      const reason = systemCode(error) === "EEXIST" ? "a link that leads nowhere stands there" : systemCode(error);
      throw storeError(`The folder ${next} could not be made (${reason})`, error);
    }
  }
}

function kindAt(place: string): "folder" | "other" | "nothing" {
  try {
    const stats = statSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return "nothing";
    return stats.isDirectory() ? "folder" : "other";
  } catch (error) {
    // The root itself is always there, so looking further up ends.
    if (systemCode(error) === "ENOTDIR" || systemCode(error) === "ENOENT") return "nothing";
    throw storeError(`${place} could not be looked at (${systemCode(error)})`, error);
  }
}

function storeError(message: string, cause?: unknown): ToolError {
  return new ToolError("STORE_ERROR", `${message}. Choose another folder, or change what stands there.`, { cause, audience: "operator" });
}
