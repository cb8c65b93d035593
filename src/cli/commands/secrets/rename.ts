import type { Command } from "commander";
import { type CliContext, type ExitCode, newCommand, withAction, withWorkspace } from "../../command.ts";
import { notStored } from "./allow.ts";
import { openVaultOf, refuseBadName, type ScopeOptions, scopeToRead } from "./scope.ts";
import { refuseExtraWords, type WrittenValue, whoseText, withRefusedValue } from "./typed-value.ts";

/** `toolyard secrets rename`: another name for the same value and hosts. */
export function renameCommand(context: CliContext): Command {
  const command = newCommand("rename", {
    summary: "give a secret another name; value, hosts and age stay",
    example: "toolyard secrets rename TOKEN GITHUB_TOKEN",
  })
    .argument("<name>")
    .argument("<new-name>", "capital letters, digits and _")
    .option("--global", "the one for all workspaces");
  withRefusedValue(command);
  return withAction(
    withWorkspace(command),
    context,
    (name: string, to: string, values: readonly string[], options: ScopeOptions & WrittenValue) => {
      refuseExtraWords(values, options.value, "toolyard secrets rename NAME NEW_NAME");
      return rename(context, { name, to }, options);
    },
  );
}

async function rename(
  context: CliContext,
  { name, to }: { readonly name: string; readonly to: string },
  options: ScopeOptions,
): Promise<ExitCode> {
  refuseBadName(name);
  refuseBadName(to);
  const scope = scopeToRead(context, options);
  if (scope === undefined) throw notStored(name, options);
  using vault = openVaultOf(context, undefined);
  const { binding, leavesGlobal, hidesGlobal } = await vault.rename(scope, name, to);
  const { output } = context;
  if (options.json === true) {
    output.json({ name: to, before: name, scope: scope.kind, ...binding, leavesGlobal, hidesGlobal });
    return 0;
  }
  output.line(`${name} ${whoseText(options)} is called ${to} now. Tools that name ${name} need the new name in tools.json.`);
  if (leavesGlobal) output.line(`A global ${name} is stored too; this workspace does not get it until toolyard trust allows it.`);
  if (hidesGlobal) output.line(`A global ${to} is stored too; in this workspace its own ${to} wins.`);
  return 0;
}
