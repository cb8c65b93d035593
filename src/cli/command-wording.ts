/** Commands that texts suggest, made whole: a person pastes them into the same shell and they mean the same workspace. */
import path from "node:path";
import { shellWord } from "../core/shell-word.ts";
import type { CliContext, WorkspaceOptions } from "./command.ts";

/** Commands that work on a workspace, with their subcommands, unless they name it already. */
const WORKSPACE_COMMAND =
  /\btoolyard (?:serve|list|describe|run|check|doctor|trust|secrets (?:set|list|allow|deny|rename|remove|import|check)|agents (?:add|list|remove))\b(?! -w)/g;

/** Commands that work on the secrets of all workspaces with `--global`, unless they have it already. */
const GLOBAL_COMMAND = /\btoolyard secrets (?:set|list|allow|deny|rename|remove|import)\b(?! --global)/g;

/**
 * What a suggested command needs behind its name to mean the workspace of this one: ` -w DIR` where that was named by
 * `-w` (as it was written) or TOOLYARD_WORKSPACE, else nothing: the next command finds the nearest folder as this one did.
 */
export function workspaceFlag({ config, cwd }: Pick<CliContext, "config" | "cwd">, { workspace }: WorkspaceOptions): string {
  if (workspace !== undefined) return ` -w ${shellWord(workspace)}`;
  return config.workspace === undefined ? "" : ` -w ${shellWord(path.resolve(cwd, config.workspace))}`;
}

/** The text with the flag behind every command of this program that works on a workspace. */
export function withFlag(text: string, flag: string): string {
  return text.replace(WORKSPACE_COMMAND, (command) => command + flag);
}

/** The same for the secrets of all workspaces: `--global` behind the commands of the vault. */
export function withGlobalFlag(text: string): string {
  return text.replace(GLOBAL_COMMAND, (command) => `${command} --global`);
}
