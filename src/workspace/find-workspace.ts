import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { TOOLS_FILE } from "./tools-file.ts";

/** Where to look for a workspace. Paths may be relative to `cwd`. */
export interface WorkspaceSearch {
  /** From the command line. */
  readonly flag?: string | undefined;
  /** From TOOLYARD_WORKSPACE. */
  readonly env?: string | undefined;
  readonly cwd: string;
  readonly home: string;
}

/** The workspace, or what to tell the person who looked for it; the command then ends with 2. */
export type WorkspaceChoice =
  | { readonly kind: "found"; readonly root: string; readonly by: "flag" | "environment" | "nearest" }
  | { readonly kind: "missing"; readonly message: string };

/**
 * The workspace to use: the flag, else the environment, else the nearest folder upwards with a tools.json. That search
 * never takes the root of the file system or the home folder, and does not go above the home folder.
 */
export function findWorkspace({ flag, env, cwd, home }: WorkspaceSearch): WorkspaceChoice {
  if (flag !== undefined) return chosen(resolve(cwd, flag), "flag", "-w");
  if (env !== undefined && env !== "") return chosen(resolve(cwd, env), "environment", "TOOLYARD_WORKSPACE");
  const homeFolder = resolve(home);
  for (let folder = resolve(cwd); folder !== homeFolder && folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, TOOLS_FILE))) return { kind: "found", root: folder, by: "nearest" };
  }
  const message = `No workspace found: neither ${resolve(cwd)} nor a folder above it has a ${TOOLS_FILE}. Name one with -w DIR or TOOLYARD_WORKSPACE, or make one with: toolyard init`;
  return { kind: "missing", message };
}

function chosen(root: string, by: "flag" | "environment", source: string): WorkspaceChoice {
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return { kind: "found", root, by };
  const found = stats === undefined ? "is not there" : "is not a folder; name the folder that holds tools.json";
  return { kind: "missing", message: `The workspace ${root} (from ${source}) ${found}.` };
}
