/**
 * Starts the child process of a sandbox host with as little as Node can give it: no environment, no arguments, no
 * inherited descriptor but one pipe, and Node's permission model with the few files its code is made of.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { Socket } from "node:net";
import { dirname, extname, join, sep } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { withoutInherited } from "../core/child-descriptors.ts";
import { ToolError } from "../core/errors.ts";

/** A started process, the pipe to it, and what it says where nothing but V8's last words can come from. */
export interface LaunchedHost {
  readonly child: ChildProcess;
  readonly pipe: Socket;
  readonly stderr: Readable;
}

/** Program and arguments of a host; the same from sources and from the built package. */
export interface HostCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** node-gyp-build, which finds the library's binary, asks whether this is Alpine; a refusal would stop it. */
const ALPINE_MARK = "/etc/alpine-release";

/** The command line of a host. Throws UNAVAILABLE if the installation lacks the native library. */
export function hostCommand(): HostCommand {
  const here = fileURLToPath(import.meta.url);
  const folder = dirname(here);
  const reads = [folder + sep, ...libraryFolders(folder).map((path) => path + sep), nearestPackageJson(folder), ALPINE_MARK];
  return {
    program: process.execPath,
    args: [
      "--permission",
      "--allow-addons",
      ...reads.map((path) => `--allow-fs-read=${path}`),
      // isolated-vm cannot make isolates in a process started from Node's snapshot.
      "--no-node-snapshot",
      join(folder, `host${extname(here)}`),
    ],
  };
}

/** Starts a host. The process is not waited for: its pipe and events tell what becomes of it. */
export function launchHost({ program, args }: HostCommand): LaunchedHost {
  // "overlapped" is "pipe" with asynchronous handles on Windows, and the same as "pipe" elsewhere.
  const child = withoutInherited(["ignore", "ignore", "pipe", "overlapped"], (stdio) =>
    spawn(program, args, { env: {}, stdio, windowsHide: true }),
  );
  const pipe = child.stdio[3];
  const { stderr } = child;
  if (pipe instanceof Socket && stderr !== null) return { child, pipe, stderr };
  // Without a listener the "error" of a process that could not start would be thrown in the event loop.
  child.on("error", () => undefined);
  child.kill("SIGKILL");
  throw new ToolError(
    "UNAVAILABLE",
    "A sandbox process could not be started: it got no pipe. Check the limits on processes and open files.",
  );
}

/** Folders of the native library and of the package that finds its binary. */
function libraryFolders(folder: string): readonly string[] {
  const library = packageFolders("isolated-vm", folder);
  return [...library, ...packageFolders("node-gyp-build", library.at(-1) ?? folder)];
}

/** The folder in which Node finds a package, and its real path where a package manager put a link there. */
function packageFolders(name: string, from: string): readonly string[] {
  for (let current = from; ; current = dirname(current)) {
    const path = join(current, "node_modules", name);
    if (existsSync(path)) return [...new Set([path, realpathSync(path)])];
    if (current !== dirname(current)) continue;
    const text = `The sandbox needs the package ${name}, which is not installed. Install toolyard again, with its dependencies.`;
    throw new ToolError("UNAVAILABLE", text);
  }
}

/** The package.json that tells Node the module type of the host's files. */
function nearestPackageJson(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    const path = join(current, "package.json");
    if (existsSync(path)) return path;
    if (current === dirname(current)) return path;
  }
}
