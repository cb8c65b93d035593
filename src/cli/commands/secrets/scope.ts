/** What the commands of `toolyard secrets` have in common: whose secrets they are about, and the vault. */

import { parseSecretName } from "../../../secrets/secret-value.ts";
import { openVault, type Vault } from "../../../secrets/vault.ts";
import type { Scope } from "../../../secrets/vault-file.ts";
import { workspaceScope } from "../../../secrets/vault-file.ts";
import type { CliContext, WorkspaceOptions } from "../../command.ts";
import { readSecretValue } from "../../prompts.ts";
import { UsageError } from "../../usage-error.ts";
import { chooseWorkspace, confirmedIdentity, recognisedIdentity } from "../../workspace-choice.ts";

/** Options of all of them. */
export interface ScopeOptions extends WorkspaceOptions {
  readonly global?: boolean;
}

/** Where a secret is stored to: storing it says that a person works with this folder. */
export async function scopeToStore(context: CliContext, options: ScopeOptions): Promise<{ scope: Scope; root: string | undefined }> {
  if (options.global === true) return { scope: { kind: "global" }, root: undefined };
  const root = chooseWorkspace(context, options);
  return { scope: workspaceScope((await confirmedIdentity(context, root)).id), root };
}

/** Scopes to look at; a folder without an id has no secrets of its own, and none is made for looking. Throws NOT_TRUSTED for one that moved or was copied. */
export function scopeToRead(context: CliContext, options: ScopeOptions): Scope | undefined {
  if (options.global === true) return { kind: "global" };
  const identity = recognisedIdentity(context, chooseWorkspace(context, options));
  return identity === undefined ? undefined : workspaceScope(identity.id);
}

/** The vault; on a terminal it may ask for its passphrase. `root`: the workspace, in which no key file may lie. */
export function openVaultOf(context: CliContext, root: string | undefined): Vault {
  const { config, streams } = context;
  const canAsk = streams.stdin.isTTY === true;
  return openVault({
    home: config.home,
    config: config.key,
    ...(root === undefined ? {} : { workspaceRoot: root }),
    ...(canAsk ? { prompt: () => readSecretValue(context, "Passphrase of the vault (hidden):") } : {}),
  });
}

/** A value may stand where the name belongs, so what is there is not repeated. */
export function refuseBadName(name: string): void {
  try {
    parseSecretName(name);
  } catch (error) {
    throw new UsageError(
      'That is not a name for a secret; it is not repeated here, since it may be a value. Names have capital letters, digits and "_", begin with a letter, and are at most 64 long, such as API_TOKEN.',
      { cause: error },
    );
  }
}
