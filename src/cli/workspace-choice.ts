import { homedir } from "node:os";
import path from "node:path";
import { ToolError } from "../core/errors.ts";
import { defaultLimits } from "../core/limits.ts";
import { openTrust } from "../policy/trust-store.ts";
import { findWorkspace } from "../workspace/find-workspace.ts";
import { existingIdentity, type WorkspaceIdentity, workspaceIdentity } from "../workspace/workspace-identity.ts";
import { createWorkspaceReader } from "../workspace/workspace-reader.ts";
import type { CliContext, WorkspaceOptions } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** The folder to work on: `-w`, else TOOLYARD_WORKSPACE, else the nearest upwards. Throws {@link UsageError} where there is none. */
export function chooseWorkspace({ config, cwd }: CliContext, { workspace }: WorkspaceOptions): string {
  const choice = findWorkspace({ flag: workspace, env: config.workspace, cwd, home: homedir() });
  if (choice.kind === "missing") throw new UsageError(choice.message);
  return choice.root;
}

/** The identity the folder has already, without making one. */
export function knownIdentity(root: string): WorkspaceIdentity | undefined {
  return existingIdentity(root);
}

/**
 * The identity the folder has already, for showing or removing what is stored under it. Throws `ToolError` NOT_TRUSTED for
 * a folder that moved or was copied: its entries are the other folder's.
 */
export function recognisedIdentity({ config }: CliContext, root: string): WorkspaceIdentity | undefined {
  const identity = knownIdentity(root);
  if (identity !== undefined && openTrust(config.home, identity).state() === "moved") {
    throw new ToolError(
      "NOT_TRUSTED",
      "This folder is not the workspace that was recorded: it moved, was copied, or another one was put at its path. What is stored belongs to the other until you look at this one and decide: toolyard trust",
    );
  }
  return identity;
}

/**
 * The identity, made if need be, and recorded as one that a person works with: storing a secret or making a token for a
 * folder says so. Throws `ToolError` NOT_TRUSTED for a folder that moved or was copied.
 */
export async function confirmedIdentity({ config }: CliContext, root: string): Promise<WorkspaceIdentity> {
  const identity = workspaceIdentity(root);
  await openTrust(config.home, identity).add([]);
  return identity;
}

/** Names of the agents in toolyard.json. */
export async function definedAgents(root: string): Promise<readonly string[]> {
  // Only the settings: opening the whole workspace puts its scripts together.
  const settings = createWorkspaceReader(root, defaultLimits()).settings();
  return settings.kind === "good" ? settings.value.settings.agents : [];
}

/** The workspace as people are shown it: below the working directory relative to it, its own name for that itself, else the whole path. */
export function workspaceLabel({ cwd }: CliContext, root: string): string {
  const below = path.relative(cwd, root);
  if (below === "") return path.basename(root);
  return below.startsWith("..") || path.isAbsolute(below) ? root : below;
}
