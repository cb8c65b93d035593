import type { Command } from "commander";
import { type CliContext, type ExitCode, newCommand, withAction, withWorkspace } from "../../command.ts";
import { notStored } from "./allow.ts";
import { openVaultOf, refuseBadName, type ScopeOptions, scopeToRead } from "./scope.ts";
import { refuseExtraWords, type WrittenValue, whoseText, withRefusedValue } from "./typed-value.ts";

/** `toolyard secrets remove`. */
export function removeCommand(context: CliContext): Command {
  const command = newCommand("remove", { summary: "remove a secret", example: "toolyard secrets remove GITHUB_TOKEN" })
    .argument("<name>")
    .option("--global", "the one for all workspaces");
  return withAction(
    withWorkspace(withRefusedValue(command)),
    context,
    (name: string, values: readonly string[], options: ScopeOptions & WrittenValue) => {
      refuseExtraWords(values, options.value, "toolyard secrets remove NAME");
      refuseBadName(name);
      return remove(context, name, options);
    },
  );
}

async function remove(context: CliContext, name: string, options: ScopeOptions): Promise<ExitCode> {
  const scope = scopeToRead(context, options);
  using vault = openVaultOf(context, undefined);
  const { removed, globalExists } = scope === undefined ? { removed: false, globalExists: false } : await vault.remove(scope, name);
  if (!removed) throw notStored(name, options);
  const { output } = context;
  if (options.json === true) output.json({ name, scope: options.global === true ? "global" : "workspace", globalExists });
  else {
    output.line(`Removed ${name} ${whoseText(options)}.`);
    if (globalExists) output.line(`A global ${name} is stored too; this workspace does not get it until toolyard trust allows it.`);
  }
  return 0;
}
