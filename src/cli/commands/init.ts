import { copyFile, readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { ToolError } from "../../core/errors.ts";
import { makeFolder } from "../../core/make-folder.ts";
import { shellWord } from "../../core/shell-word.ts";
import { visible } from "../../core/visible-text.ts";
import { PRIVATE_FOLDER } from "../../workspace/inside-file.ts";
import { type CliContext, type CommonOptions, type ExitCode, newCommand, withAction } from "../command.ts";
import { pathExists } from "../path-exists.ts";
import { UsageError } from "../usage-error.ts";

/** `toolyard init [DIR]`: a workspace with two working tools. */
export function initCommand(context: CliContext): Command {
  const command = newCommand("init", {
    summary: "make a workspace with two working tools; never overwrites a file",
    example: "toolyard init my-tools",
  }).argument("[dir]", "folder of the new workspace, made if it is not there", ".");
  return withAction(command, context, (dir: string, options: CommonOptions) => init(context, dir, options));
}

async function init({ cwd, output }: CliContext, dir: string, { json = false }: CommonOptions): Promise<ExitCode> {
  // As by a variable of the shell that is not set: it would mean the current folder.
  if (dir === "") throw new UsageError("The folder's name is empty. Name it, or leave it out to take the current one.");
  const root = path.resolve(cwd, dir);
  // The starter lies beside src/ and dist/, in the repository as in the installed package.
  const starter = fileURLToPath(new URL("../../../examples/starter/", import.meta.url));
  const files = (await readdir(starter, { recursive: true, withFileTypes: true }))
    // A starter that was served in a clone has an identity there; a copy of it would pass for that folder.
    .filter((entry) => entry.isFile() && path.basename(entry.parentPath) !== PRIVATE_FOLDER)
    .map((entry) => path.relative(starter, path.join(entry.parentPath, entry.name)))
    .sort();
  makeFolder(root);
  await refuseExisting(root, files);
  for (const file of files) {
    makeFolder(path.dirname(path.join(root, file)));
    await copyFile(path.join(starter, file), path.join(root, file), COPY_NEW_ONLY);
  }
  const names = files.map((file) => file.split(path.sep).join("/"));
  if (json) output.json({ workspace: root, files: names });
  else for (const line of nextSteps(dir, names)) output.line(line);
  return 0;
}

/** `fs.constants.COPYFILE_EXCL`: fails where the file was made since the check. */
const COPY_NEW_ONLY = 1;

async function refuseExisting(root: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    if (!(await pathExists(path.join(root, file)))) continue;
    throw new ToolError(
      "STORE_ERROR",
      `${file} is in ${root} already, and init overwrites nothing. Choose another folder: toolyard init DIR`,
    );
  }
}

function nextSteps(dir: string, files: readonly string[]): string[] {
  const at = dir === "." ? "" : ` -w ${shellWord(dir)}`;
  return [
    `Made ${files.join(", ")}${dir === "." ? "" : ` in ${visible(dir)}`}.`,
    "",
    "Next:",
    `  toolyard run${at} word-count text='Hello there.'`,
    `  toolyard check${at}`,
    `  toolyard serve${at}          # over stdio, as an MCP client starts it`,
  ];
}
