/** How the bundling process is started: with Node's permission model, and the few files its code is made of. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "../../core/errors.ts";

/** Program, options of Node and working folder of the process. */
export interface BundlerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** The command; the same from sources and from the built package. Throws `ToolError` UNAVAILABLE if the installation lacks the bundler. */
export function bundlerCommand(): BundlerCommand {
  const here = fileURLToPath(import.meta.url);
  const folder = dirname(here);
  const reads = [folder, ...libraryFolders(folder)].map((path) => `--allow-fs-read=${path}${sep}`);
  return {
    program: join(folder, `bundle-child${extname(here)}`),
    args: ["--permission", "--allow-child-process", "--no-warnings", "--max-old-space-size=256", ...new Set(reads)],
    // The bundler lists its working folder; in this one is nothing but our own code.
    cwd: folder,
  };
}

/** Folders of the bundler and of its program, as they are found and where they really are: package managers put links between. */
function libraryFolders(from: string): readonly string[] {
  const found = upwards(from).find((folder) => existsSync(join(folder, "node_modules", "esbuild")));
  if (found === undefined) {
    const text = "Scripts in TypeScript or with imports need the package esbuild, which is not installed.";
    throw new ToolError("UNAVAILABLE", `${text} Install toolyard again, with its dependencies.`);
  }
  const library = join(found, "node_modules", "esbuild");
  return [library, realpathSync(library)].flatMap((path) => {
    const programs = join(dirname(path), "@esbuild");
    const real = existsSync(programs) ? readdirSync(programs).map((name) => realpathSync(join(programs, name))) : [];
    return [path, programs, ...real];
  });
}

function upwards(folder: string): readonly string[] {
  return folder === dirname(folder) ? [folder] : [folder, ...upwards(dirname(folder))];
}
