import path from "node:path";
import type { Command } from "commander";
import { visible } from "../../../core/visible-text.ts";
import { keySourceText } from "../../../secrets/key-source.ts";
import { weaknessText } from "../../../secrets/secret-value.ts";
import { type StoredReport, VAULT_FILE_NAME, type Vault } from "../../../secrets/vault.ts";
import type { Scope } from "../../../secrets/vault-file.ts";
import { type CliContext, type ExitCode, newCommand, withAction, withWorkspace } from "../../command.ts";
import { readSecretValue } from "../../prompts.ts";
import { type BindingOptions, destinationText, parseBindingOptions } from "../../secret-binding.ts";
import { UsageError } from "../../usage-error.ts";
import { keyPlaceLines } from "./key-places.ts";
import { openVaultOf, refuseBadName, type ScopeOptions, scopeToRead, scopeToStore } from "./scope.ts";
import {
  oneMore,
  refuseWrittenValue,
  shortPath,
  showRecoveryKey,
  type WrittenValue,
  whoseText,
  withHosts,
  withRefusedValue,
} from "./typed-value.ts";

interface SetOptions extends ScopeOptions, BindingOptions, WrittenValue {
  readonly allowShort?: boolean;
}

/** `toolyard secrets set`: stores a value that comes from a hidden prompt or stdin. */
export function setCommand(context: CliContext): Command {
  const command = newCommand("set", {
    summary: "store a secret; its value comes from a hidden prompt, or from stdin where that is not a terminal",
    example:
      "toolyard secrets set GITHUB_TOKEN --host api.github.com\nop read op://work/github | toolyard secrets set GITHUB_TOKEN --host api.github.com",
  }).argument("<name>", "capital letters, digits and _, such as GITHUB_TOKEN");
  withHosts(
    withRefusedValue(command),
    "where it may go: api.example.com, *.example.com, api.example.com:8443, https://api.example.com/v1; give it once for each",
  )
    .option("--header <name>", "the only header that may carry it, such as Authorization")
    .option("--format <text>", "the only form of that header's value, with %s for the secret, such as 'Bearer %s'")
    .option("--method <name>", "a method of requests that may carry it, such as GET; give it once for each (default: any)", oneMore)
    .option("--global", "for all workspaces; each use of it needs toolyard trust")
    .option("--allow-short", "take a value that is short and easy to guess; under 8 characters it cannot be masked in answers");
  return withAction(withWorkspace(command), context, (name: string, values: readonly string[], options: SetOptions) =>
    set(context, name, values, options),
  );
}

async function set(context: CliContext, name: string, values: readonly string[], options: SetOptions): Promise<ExitCode> {
  refuseWrittenValue(values, options.value, "toolyard secrets set NAME --host HOST");
  refuseBadName(name);
  const binding = parseBindingOptions(options);
  using known = openVaultOf(context, undefined);
  refuseWithoutHost(known, scopeToRead(context, options), name, options);
  const { scope, root } = await scopeToStore(context, options);
  using vault = openVaultOf(context, root);
  const value = await readSecretValue(context, `Value of ${name} (hidden):`);
  const report = await vault.set(scope, name, value, {
    ...(binding === undefined ? {} : { binding }),
    allowShort: options.allowShort === true,
  });
  const { output, config } = context;
  if (options.json === true) {
    const made = report.madeKeyFile === undefined ? {} : { madeKeyFile: report.madeKeyFile };
    const weakness = report.weakness === undefined ? {} : { weakness: report.weakness };
    const facts = { name, scope: scope.kind, ...report.binding, replaced: report.kind === "replaced" };
    output.json({ ...facts, vault: path.join(config.home, VAULT_FILE_NAME), key: report.keySource.kind, ...made, ...weakness });
  } else for (const line of storedLines(context, name, scope, report)) output.line(line);
  if (report.madeKeyFile !== undefined) for (const line of keyPlaceLines(config.key)) output.note(line);
  if (report.recoveryKey !== undefined) showRecoveryKey(context, report.recoveryKey);
  return 0;
}

/** Asked before the value is, so that nobody types a key for a command that cannot store it. */
function refuseWithoutHost(vault: Vault, scope: Scope | undefined, name: string, { host }: SetOptions): void {
  if (host !== undefined || (scope !== undefined && vault.list(scope).some((entry) => entry.name === name))) return;
  throw new UsageError(
    `${name} is new, so say where it may go; there is no "any host".\ntoolyard secrets set ${name} --host api.example.com`,
  );
}

function storedLines(context: CliContext, name: string, scope: Scope, report: StoredReport): string[] {
  const { home } = context.config;
  const whose = whoseText({ global: scope.kind === "global" });
  const verb = report.kind === "stored" ? "Stored" : "Replaced the value of";
  return [
    `${verb} ${name} ${whose}. It can go to ${visible(destinationText(report.binding))} and nowhere else.`,
    `Vault: ${shortPath(path.join(home, VAULT_FILE_NAME))} · key: ${keySourceText(report.keySource)}`,
    ...(report.weakness === undefined ? [] : [`${name} ${weaknessText(report.weakness)}.`]),
    ...(report.madeKeyFile === undefined
      ? []
      : [`Made the key file ${shortPath(report.madeKeyFile)}. Who has both files has the secrets; without it the vault stays shut.`]),
    ...(scope.kind === "global" ? ["A workspace may use it once toolyard trust has been answered there."] : []),
  ];
}
