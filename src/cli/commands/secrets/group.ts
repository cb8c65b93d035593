import type { Command } from "commander";
import { type CliContext, newGroup } from "../../command.ts";
import { allowCommand, denyCommand } from "./allow.ts";
import { checkSecretsCommand } from "./check.ts";
import { importCommand } from "./import.ts";
import { listCommand } from "./list.ts";
import { rekeyCommand } from "./rekey.ts";
import { removeCommand } from "./remove.ts";
import { renameCommand } from "./rename.ts";
import { setCommand } from "./set.ts";

/** `toolyard secrets set|list|…`: API keys in the vault, each bound to the hosts it may go to. */
export function secretsCommand(context: CliContext): Command {
  const secrets = newGroup("secrets", {
    summary: "API keys in the vault, each bound to the hosts it may go to",
    example: "toolyard secrets set GITHUB_TOKEN --host api.github.com",
  });
  const commands = [
    setCommand,
    importCommand,
    listCommand,
    allowCommand,
    denyCommand,
    renameCommand,
    removeCommand,
    checkSecretsCommand,
    rekeyCommand,
  ];
  for (const make of commands) secrets.addCommand(make(context));
  return secrets;
}
