import { watch } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../core/errors.ts";
import type { Problem } from "../../core/problem.ts";
import type { Probe } from "../probe.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** Longest wait for the event of a change, in milliseconds; where events work at all they come within some ten. */
const EVENT_WAIT_MS = 2_000;

/** The workspace's file system tells about changes. Network shares and folders shared into containers often do not. */
export const watchProbe: Probe<DoctorContext> = {
  name: "watch",
  about: "changes of files are noticed",
  code: "WATCH",
  run: async ({ root, sample }) => {
    const folder = root ?? sample.root;
    let inside: string;
    try {
      inside = await mkdtemp(path.join(folder, ".toolyard-doctor-"));
    } catch (error) {
      // Nothing changes in a folder that cannot be written to by this user; others may still change it.
      return ["EACCES", "EROFS", "EPERM"].includes(systemCode(error))
        ? [finding(folder, "cannot be written to, so this could not be tried")]
        : [];
    }
    try {
      return (await isNoticed(inside)) ? [] : [finding(folder, "sends no events for changes")];
    } finally {
      await rm(inside, { recursive: true, force: true });
    }
  },
};

async function isNoticed(folder: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const watcher = watch(folder, () => resolve(true));
  watcher.on("error", () => resolve(false));
  const timer = setTimeout(() => resolve(false), EVENT_WAIT_MS);
  try {
    await writeFile(path.join(folder, "changed"), "");
    return await promise;
  } finally {
    clearTimeout(timer);
    watcher.close();
  }
}

function finding(folder: string, found: string): Problem {
  return {
    code: "WATCH",
    severity: "warning",
    place: { kind: "none" },
    message: `${folder} ${found}. Calls still see every edit; only the message to clients that the list changed may be missing.`,
    mend: "toolyard serve --poll",
  };
}
