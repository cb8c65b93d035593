import type { Command } from "commander";
import { ToolError } from "../../../core/errors.ts";
import { visible } from "../../../core/visible-text.ts";
import type { ChangedHosts } from "../../../secrets/vault-edit.ts";
import type { Scope } from "../../../secrets/vault-file.ts";
import { type CliContext, type ExitCode, newCommand, withAction, withWorkspace } from "../../command.ts";
import { readSecretValue } from "../../prompts.ts";
import { destinationText } from "../../secret-binding.ts";
import { refuseBadHosts } from "../../secret-hosts.ts";
import { UsageError } from "../../usage-error.ts";
import { openVaultOf, refuseBadName, type ScopeOptions, scopeToRead } from "./scope.ts";
import { refuseWrittenValue, type WrittenValue, whoseText, withHosts, withRefusedValue } from "./typed-value.ts";

interface HostOptions extends ScopeOptions, WrittenValue {
  readonly host?: readonly string[];
}

/** `toolyard secrets allow`: more hosts for a secret, for whoever has its value. */
export function allowCommand(context: CliContext): Command {
  const command = newCommand("allow", {
    summary: "let a secret go to one more host; its value is asked for again",
    example: "toolyard secrets allow GITHUB_TOKEN --host uploads.github.com",
  }).argument("<name>");
  return hostCommand(withRefusedValue(command), context, allow);
}

/** `toolyard secrets deny`: takes a host away from a secret. */
export function denyCommand(context: CliContext): Command {
  const command = newCommand("deny", {
    summary: "take a host away from a secret, also on running servers",
    example: "toolyard secrets deny GITHUB_TOKEN --host uploads.github.com",
  }).argument("<name>");
  // Values are refused here as well, in the words that fit, since people write what they wrote after set.
  return hostCommand(withRefusedValue(command), context, deny);
}

type HostChange = (context: CliContext, target: Target, options: HostOptions) => Promise<ExitCode>;

/** What a change of hosts is about. */
interface Target {
  readonly name: string;
  readonly scope: Scope;
  readonly hosts: readonly string[];
}

function hostCommand(command: Command, context: CliContext, work: HostChange): Command {
  withHosts(command, "as in secrets set: api.example.com, *.example.com, https://api.example.com/v1; give it once for each");
  command.option("--global", "the one for all workspaces");
  return withAction(withWorkspace(command), context, (name: string, values: readonly string[], options: HostOptions) => {
    refuseWrittenValue(values, options.value, `toolyard secrets ${command.name()} NAME --host HOST`);
    refuseBadName(name);
    const { host: hosts } = options;
    if (hosts === undefined) throw new UsageError(`Say which host: toolyard secrets ${command.name()} ${name} --host api.example.com`);
    refuseBadHosts(hosts, { isTakenAway: command.name() === "deny" });
    const scope = scopeToRead(context, options);
    if (scope === undefined) throw notStored(name, options);
    return work(context, { name, scope, hosts }, options);
  });
}

async function allow(context: CliContext, { name, scope, hosts }: Target, options: HostOptions): Promise<ExitCode> {
  using vault = openVaultOf(context, undefined);
  // Before the value is asked for, so that nobody types a key for a command that cannot use it.
  if (!vault.list(scope).some((entry) => entry.name === name)) throw notStored(name, options);
  const value = await readSecretValue(context, `Value of ${name} again (hidden):`);
  tell(context, name, await vault.allow(scope, name, value, hosts), options);
  return 0;
}

async function deny(context: CliContext, { name, scope, hosts }: Target, options: HostOptions): Promise<ExitCode> {
  using vault = openVaultOf(context, undefined);
  tell(context, name, await vault.deny(scope, name, hosts), options);
  return 0;
}

function tell({ output }: CliContext, name: string, { binding, changed }: ChangedHosts, options: HostOptions): void {
  const isGlobal = options.global === true;
  if (options.json === true) {
    output.json({ name, scope: isGlobal ? "global" : "workspace", changed, ...binding });
    return;
  }
  const nothing = changed.length === 0 ? "Nothing was changed. " : "";
  output.line(`${nothing}${name} ${whoseText(options)} can go to ${visible(destinationText(binding))} and nowhere else.`);
  if (isGlobal && changed.length > 0) output.line("Workspaces that use it ask for it anew: toolyard trust");
}

/** The secret is not there. */
export function notStored(name: string, options: ScopeOptions): ToolError {
  return new ToolError("SECRET_MISSING", `${name} is not stored ${whoseText(options)}. toolyard secrets list shows what is.`);
}
