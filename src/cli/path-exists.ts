import { lstat } from "node:fs/promises";
import { systemCode } from "../core/errors.ts";

/** True if something is at the path, a broken link included. Throws for what is not "not there", such as a missing right. */
export async function pathExists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return false;
    throw error;
  }
}
