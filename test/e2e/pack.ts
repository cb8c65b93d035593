// The end-to-end tests run what users install: the tarball of `npm pack`, put into a folder of its own.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder in which the packed package is installed. */
    readonly installedRoot: string;
    /** Absolute path of the installed command. */
    readonly installedCli: string;
  }
}

/** Packs and installs once for all projects of a run whose tests use the command; npm test has built dist/ before. */
export default function setup(project: TestProject): (() => void) | undefined {
  const root = project.vitest.getRootProject();
  if (root.getProvidedContext().installedCli !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "toolyard-installed-"));
  const npm = (...args: string[]): void => {
    execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  };
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: project.config.root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no tarball");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, version: "1.0.0" }));
  npm("install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", `./${tarball}`);
  root.provide("installedRoot", folder);
  root.provide("installedCli", join(folder, "node_modules/toolyard/dist/cli/main.js"));
  return () => rmSync(folder, { recursive: true, force: true });
}
