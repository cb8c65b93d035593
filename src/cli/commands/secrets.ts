import { homedir } from "node:os";
import path from "node:path";
import type { Command } from "commander";
import { ToolError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { visible } from "../../core/visible-text.ts";
import { keySourceText } from "../../secrets/key-source.ts";
import { parseSecretName } from "../../secrets/secret-value.ts";
import { openVault, type SecretEntry, type StoredReport, VAULT_FILE_NAME, type Vault } from "../../secrets/vault.ts";
import { type Scope, workspaceScope } from "../../secrets/vault-file.ts";
import { type CliContext, type ExitCode, newCommand, newGroup, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { workspaceFlag } from "../command-wording.ts";
import { readSecretValue } from "../prompts.ts";
import { type BindingOptions, destinationText, parseBindingOptions } from "../secret-binding.ts";
import { UsageError } from "../usage-error.ts";
import { chooseWorkspace, confirmedIdentity, recognisedIdentity } from "../workspace-choice.ts";

interface ScopeOptions extends WorkspaceOptions {
  readonly global?: boolean;
}

interface SetOptions extends ScopeOptions, BindingOptions {
  readonly allowShort?: boolean;
  readonly value?: string | boolean;
}

/** `toolyard secrets set|list|remove`: API keys in the vault, each bound to the hosts it may go to. */
export function secretsCommand(context: CliContext): Command {
  const secrets = newGroup("secrets", {
    summary: "API keys in the vault, each bound to the hosts it may go to",
    example: "toolyard secrets set GITHUB_TOKEN --host api.github.com",
  });
  return secrets.addCommand(setCommand(context)).addCommand(listCommand(context)).addCommand(removeCommand(context));
}

function setCommand(context: CliContext): Command {
  const command = newCommand("set", {
    summary: "store a secret; its value comes from a hidden prompt, or from stdin where that is not a terminal",
    example:
      "toolyard secrets set GITHUB_TOKEN --host api.github.com\nop read op://work/github | toolyard secrets set GITHUB_TOKEN --host api.github.com",
  })
    .argument("<name>", "capital letters, digits and _, such as GITHUB_TOKEN")
    .argument("[value...]", "refused: a value never stands on the command line")
    // One host each time: an option that takes many would take a value written after it for one more.
    .option(
      "--host <pattern>",
      "where it may go: api.example.com, *.example.com, api.example.com:8443, https://api.example.com/v1; give it once for each",
      oneMore,
    )
    .option("--header <name>", "the only header that may carry it, such as Authorization")
    .option("--format <text>", "the only form of that header's value, with %s for the secret, such as 'Bearer %s'")
    .option("--method <name>", "a method of requests that may carry it, such as GET; give it once for each (default: any)", oneMore)
    .option("--global", "for all workspaces; each use of it needs toolyard trust")
    .option("--allow-short", "take a value of fewer than 8 characters, which cannot be masked in answers");
  command.addOption(command.createOption("--value [value]").hideHelp());
  return withAction(withWorkspace(command), context, (name: string, values: readonly string[], options: SetOptions) =>
    set(context, name, values, options),
  );
}

function listCommand(context: CliContext): Command {
  const command = newCommand("list", {
    summary: "names of the stored secrets and where each may go; never a value",
    example: "toolyard secrets list",
  }).option("--global", "only those for all workspaces");
  return withAction(withWorkspace(command), context, (options: ScopeOptions) => list(context, options));
}

function removeCommand(context: CliContext): Command {
  const command = newCommand("remove", { summary: "remove a secret", example: "toolyard secrets remove GITHUB_TOKEN" })
    .argument("<name>")
    .option("--global", "the one for all workspaces");
  return withAction(withWorkspace(command), context, (name: string, options: ScopeOptions) => remove(context, name, options));
}

async function set(context: CliContext, name: string, values: readonly string[], options: SetOptions): Promise<ExitCode> {
  if (values.length > 0 || options.value !== undefined) {
    throw new UsageError(
      "A value never stands on the command line: other processes and the shell's history would have it. Replace that key if it is real.\n" +
        "Run it without the value and type it when asked, or send it to stdin: toolyard secrets set NAME --host HOST < file",
    );
  }
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
    const facts = { name, scope: scope.kind, ...report.binding, replaced: report.kind === "replaced" };
    output.json({ ...facts, vault: path.join(config.home, VAULT_FILE_NAME), key: report.keySource.kind, ...made });
  } else for (const line of storedLines(context, name, scope, report)) output.line(line);
  return 0;
}

/** A value may stand where the name belongs, so what is there is not repeated. */
function refuseBadName(name: string): void {
  try {
    parseSecretName(name);
  } catch (error) {
    throw new UsageError(
      'That is not a name for a secret; it is not repeated here, since it may be a value. Names have capital letters, digits and "_", begin with a letter, and are at most 64 long, such as API_TOKEN.',
      { cause: error },
    );
  }
}

/** For options that are given once for each value. */
function oneMore(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
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
  const whose = scope.kind === "global" ? "for all workspaces" : "for this workspace";
  const verb = report.kind === "stored" ? "Stored" : "Replaced the value of";
  return [
    `${verb} ${name} ${whose}. It can go to ${visible(destinationText(report.binding))} and nowhere else.`,
    `Vault: ${shortPath(path.join(home, VAULT_FILE_NAME))} · key: ${keySourceText(report.keySource)}`,
    ...(report.madeKeyFile === undefined
      ? []
      : [`Made the key file ${shortPath(report.madeKeyFile)}. Who has both files has the secrets; without it the vault stays shut.`]),
    ...(scope.kind === "global" ? ["A workspace may use it once toolyard trust has been answered there."] : []),
  ];
}

async function list(context: CliContext, options: ScopeOptions): Promise<ExitCode> {
  const scope = scopeToRead(context, options);
  using vault = openVaultOf(context, undefined);
  const own = scope === undefined || scope.kind === "global" ? [] : vault.list(scope);
  const entries = [...own, ...vault.list({ kind: "global" })];
  const { output } = context;
  if (options.json === true) output.json({ secrets: entries.map(entryData) });
  else if (entries.length === 0)
    output.note(`No secrets are stored here. toolyard secrets set${flagOf(context, options)} NAME --host HOST`);
  else for (const line of entryLines(entries)) output.line(line);
  return 0;
}

async function remove(context: CliContext, name: string, options: ScopeOptions): Promise<ExitCode> {
  const scope = scopeToRead(context, options);
  using vault = openVaultOf(context, undefined);
  const { removed, globalExists } = scope === undefined ? { removed: false, globalExists: false } : await vault.remove(scope, name);
  const whose = options.global === true ? "for all workspaces" : "for this workspace";
  if (!removed) throw new ToolError("SECRET_MISSING", `${name} is not stored ${whose}. toolyard secrets list shows what is.`);
  const { output } = context;
  if (options.json === true) output.json({ name, scope: options.global === true ? "global" : "workspace", globalExists });
  else {
    output.line(`Removed ${name} ${whose}.`);
    if (globalExists) output.line(`A global ${name} is stored too; this workspace does not get it until toolyard trust allows it.`);
  }
  return 0;
}

/** Where a secret is stored to: storing it says that a person works with this folder. */
async function scopeToStore(context: CliContext, options: ScopeOptions): Promise<{ scope: Scope; root: string | undefined }> {
  if (options.global === true) return { scope: { kind: "global" }, root: undefined };
  const root = chooseWorkspace(context, options);
  return { scope: workspaceScope((await confirmedIdentity(context, root)).id), root };
}

/** Scopes to look at; a folder without an id has no secrets of its own, and none is made for looking. Throws NOT_TRUSTED for one that moved or was copied. */
function scopeToRead(context: CliContext, options: ScopeOptions): Scope | undefined {
  if (options.global === true) return { kind: "global" };
  const identity = recognisedIdentity(context, chooseWorkspace(context, options));
  return identity === undefined ? undefined : workspaceScope(identity.id);
}

function openVaultOf(context: CliContext, root: string | undefined): Vault {
  const { config, streams } = context;
  const canAsk = streams.stdin.isTTY === true;
  return openVault({
    home: config.home,
    config: config.key,
    ...(root === undefined ? {} : { workspaceRoot: root }),
    ...(canAsk ? { prompt: () => readSecretValue(context, "Passphrase of the vault (hidden):") } : {}),
  });
}

function entryData({ name, scope, binding, setAtMs }: SecretEntry): JsonObject {
  return { name, scope: scope.kind, ...binding, setAt: new Date(setAtMs).toISOString() };
}

function entryLines(entries: readonly SecretEntry[]): string[] {
  const width = Math.max(...entries.map((entry) => entry.name.length));
  return entries.map(({ name, scope, binding, setAtMs }) => {
    const whose = scope.kind === "global" ? "all workspaces" : "this workspace";
    return `${name.padEnd(width)}  ${whose.padEnd("this workspace".length)}  → ${visible(destinationText(binding))}  (set ${new Date(setAtMs).toISOString().slice(0, 10)})`;
  });
}

function flagOf(context: CliContext, options: ScopeOptions): string {
  return options.global === true ? " --global" : workspaceFlag(context, options);
}

function shortPath(file: string): string {
  const home = homedir();
  return visible(file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file);
}
