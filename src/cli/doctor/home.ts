import { stat } from "node:fs/promises";
import type { Problem } from "../../core/problem.ts";
import { pathExists } from "../path-exists.ts";
import type { Probe } from "../probe.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** The folder of vault, agents and trust belongs to this user alone. A folder that is not there yet is made when it is needed. */
export const homeProbe: Probe<DoctorContext> = {
  name: "home",
  about: "toolyard's own folder is private",
  code: "HOME",
  run: async ({ cli }) => {
    const { home } = cli.config;
    if (!(await pathExists(home))) return [];
    const facts = await stat(home);
    if (!facts.isDirectory()) return [finding(home, "is not a folder. Move it away, or set TOOLYARD_HOME")];
    // Windows has no such rights; its profile folders are private by default.
    if (process.platform === "win32") return [];
    if (facts.uid !== process.geteuid?.())
      return [finding(home, `belongs to user ${facts.uid}, not to the one who runs this. Set TOOLYARD_HOME to a folder of your own`)];
    if ((facts.mode & 0o077) !== 0) return [finding(home, "can be read or changed by others on this machine", `chmod 700 '${home}'`)];
    return [];
  },
};

function finding(home: string, found: string, mend?: string): Problem {
  const message = `${home} ${found}.`;
  return { code: "HOME", severity: "error", place: { kind: "none" }, message, ...(mend === undefined ? {} : { mend }) };
}
