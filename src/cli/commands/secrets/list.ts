import type { Command } from "commander";
import { ToolError } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { visible } from "../../../core/visible-text.ts";
import { readUsage, usageKey } from "../../../secrets/usage-store.ts";
import { openVault, type SecretEntry, type Vault } from "../../../secrets/vault.ts";
import { type CliContext, type ExitCode, newCommand, withAction, withWorkspace } from "../../command.ts";
import { workspaceFlag } from "../../command-wording.ts";
import { destinationText } from "../../secret-binding.ts";
import { visibleName } from "../../terminal-text.ts";
import { toolsOfSecrets } from "../../tools-of-secrets.ts";
import { chooseWorkspace } from "../../workspace-choice.ts";
import { type ScopeOptions, scopeToRead } from "./scope.ts";
import { refuseExtraWords, type WrittenValue, withRefusedValue } from "./typed-value.ts";

/** Tools shown of one secret; the rest is counted. */
const MAX_TOOLS = 4;

/** A secret with what is known of its use. */
interface ListedSecret {
  readonly entry: SecretEntry;
  /** Milliseconds since 1970; undefined: not since toolyard notes it. */
  readonly lastUsedMs: number | undefined;
  /** Undefined where no workspace was looked at. */
  readonly tools: readonly string[] | undefined;
}

/** `toolyard secrets list`: names, where each may go, its age, when it was last sent, and who names it; never a value. */
export function listCommand(context: CliContext): Command {
  const command = newCommand("list", {
    summary: "the stored secrets: where each may go, since when, when it was last sent, which tools name it; never a value",
    example: "toolyard secrets list",
  }).option("--global", "only those for all workspaces");
  return withAction(
    withWorkspace(withRefusedValue(command)),
    context,
    (values: readonly string[], options: ScopeOptions & WrittenValue) => {
      refuseExtraWords(values, options.value, "toolyard secrets list");
      return list(context, options);
    },
  );
}

async function list(context: CliContext, options: ScopeOptions): Promise<ExitCode> {
  const scope = scopeToRead(context, options);
  // Nobody is asked for a passphrase only to look.
  using vault = openVault({ home: context.config.home, config: context.config.key });
  const unverified = await whyUnverified(vault);
  const own = scope === undefined || scope.kind === "global" ? [] : vault.list(scope);
  const usage = readUsage(context.config.home);
  const tools = options.global === true ? undefined : toolsOfSecrets(chooseWorkspace(context, options));
  const ownNames = new Set(own.map(({ name }) => name));
  const secrets = [...own, ...vault.list({ kind: "global" })].map((entry): ListedSecret => {
    // The workspace's own wins over a global one, which no tool gets then.
    const isHidden = entry.scope.kind === "global" && ownNames.has(entry.name);
    return { entry, lastUsedMs: usage.get(usageKey(entry)), tools: tools && (isHidden ? [] : (tools.get(entry.name) ?? [])) };
  });
  const { output } = context;
  if (options.json === true) output.json({ secrets: secrets.map(secretData), verified: unverified === undefined });
  else if (secrets.length === 0)
    output.note(`No secrets are stored here. toolyard secrets set${flagOf(context, options)} NAME --host HOST`);
  else for (const line of secretLines(secrets)) output.line(line);
  if (unverified !== undefined && secrets.length > 0)
    output.note(`Not verified: whoever can write to vault.json could have changed this list. ${unverified.code}: ${unverified.message}`);
  return 0;
}

/** Why it cannot be known here whether the vault is as toolyard wrote it; undefined if it is. Throws VAULT_TAMPERED, and what else opening does. */
async function whyUnverified(vault: Vault): Promise<ToolError | undefined> {
  try {
    await vault.verify();
    return undefined;
  } catch (error) {
    if (error instanceof ToolError && (error.code === "VAULT_LOCKED" || error.code === "VAULT_KEY")) return error;
    throw error;
  }
}

function secretData({ entry, lastUsedMs, tools }: ListedSecret): JsonObject {
  const { name, scope, binding, setAtMs } = entry;
  return {
    ...{ name, scope: scope.kind, ...binding, setAt: new Date(setAtMs).toISOString() },
    ...(lastUsedMs === undefined ? {} : { lastUsedAt: new Date(lastUsedMs).toISOString() }),
    ...(tools === undefined ? {} : { tools }),
  };
}

function secretLines(secrets: readonly ListedSecret[]): string[] {
  const width = Math.max(...secrets.map(({ entry }) => entry.name.length));
  return secrets.flatMap(({ entry: { name, scope, binding, setAtMs }, lastUsedMs, tools }) => {
    const whose = scope.kind === "global" ? "all workspaces" : "this workspace";
    const used = lastUsedMs === undefined ? "not used yet" : `last used ${day(lastUsedMs)}`;
    return [
      `${name.padEnd(width)}  ${whose.padEnd("this workspace".length)}  → ${visible(destinationText(binding))}`,
      `${" ".repeat(width)}  set ${day(setAtMs)}, ${used}${tools === undefined ? "" : `; ${toolsText(tools)}`}`,
    ];
  });
}

function toolsText(tools: readonly string[]): string {
  if (tools.length === 0) return "no tool names it";
  const shown = tools.slice(0, MAX_TOOLS).map(visibleName).join(", ");
  return `for ${shown}${tools.length > MAX_TOOLS ? ` and ${tools.length - MAX_TOOLS} more` : ""}`;
}

function day(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function flagOf(context: CliContext, options: ScopeOptions): string {
  return options.global === true ? " --global" : workspaceFlag(context, options);
}
