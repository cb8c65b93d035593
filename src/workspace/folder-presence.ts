import { statSync } from "node:fs";
import type { Problem } from "../core/problem.ts";

/** Name under which the folder itself is held while it is gone; no tool and no file is named so. */
export const FOLDER = "the folder";

/** Time between two looks whether the folder is back, in milliseconds; each call looks too. */
export const BACK_LOOK_MS = 1_000;

/** True if there is a folder at the path, links followed. One that may not be entered is there. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // A part of the path is a file, or may not be entered: as far as this server can tell, there is none.
  }
}

/** What is told while the folder at `root` is gone. Without it each script would be told as missing, and nobody would see why. */
export function folderGone(root: string): Problem {
  return {
    code: "FILE_MISSING",
    severity: "error",
    place: { kind: "none" },
    message: `The folder of this workspace, ${root}, is gone: it was moved, renamed or removed. What was read of it last stays in service.`,
    mend: "Put it back at that path, and it is live again on the next call. To serve it elsewhere, start a server there.",
  };
}
