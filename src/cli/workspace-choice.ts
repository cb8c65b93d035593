import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { ToolError } from "../core/errors.ts";
import { liesWithin } from "../core/folder-path.ts";
import { defaultLimits } from "../core/limits.ts";
import { shellWord } from "../core/shell-word.ts";
import { folderTrust } from "../engine/folder-trust.ts";
import { openTrust } from "../policy/trust-store.ts";
import { createFilesInUse, stateOf } from "../workspace/files-in-use.ts";
import { findWorkspace } from "../workspace/find-workspace.ts";
import { createHolding } from "../workspace/holding.ts";
import { defaultSettings } from "../workspace/settings-file.ts";
import type { WorkspaceSnapshot } from "../workspace/snapshot.ts";
import type { ToolEntry } from "../workspace/tool-entry.ts";
import { existingIdentity, type WorkspaceIdentity, workspaceIdentity } from "../workspace/workspace-identity.ts";
import { createWorkspaceReader } from "../workspace/workspace-reader.ts";
import type { CliContext, WorkspaceOptions } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The folder to work on: `-w`, else TOOLYARD_WORKSPACE, else the nearest upwards. Throws {@link UsageError} where there is none,
 * and `ToolError` STORE_ERROR where it and toolyard's own folder lie in each other. Makes nothing, so that neither is there then.
 */
export function chooseWorkspace({ config, cwd }: CliContext, { workspace }: WorkspaceOptions): string {
  // As by a variable of the shell that is not set: it would mean the current folder.
  if (workspace === "") throw new UsageError("-w is empty. Name the folder of the workspace, or leave -w out to take the nearest one.");
  const choice = findWorkspace({ flag: workspace, env: config.workspace, cwd, home: homedir() });
  if (choice.kind === "missing") throw new UsageError(`${choice.message}${nextStep(workspace ?? config.workspace, cwd)}`);
  refuseSharedHome(choice.root, config.home);
  return choice.root;
}

/** Whoever edits the workspace, often an agent, would write keys, trust and settings there as plain files, and could serve them as resources. */
function refuseSharedHome(root: string, home: string): void {
  if (liesWithin(home, root)) {
    throw new ToolError(
      "STORE_ERROR",
      `Toolyard's own folder ${home} lies in the workspace ${root}: whoever edits the workspace could read the key of the vault there, and trust what they like. Set TOOLYARD_HOME to a folder elsewhere, and move there what is in this one.`,
    );
  }
  if (liesWithin(root, home)) {
    throw new ToolError(
      "STORE_ERROR",
      `The workspace ${root} lies in toolyard's own folder ${home}, which holds the key of the vault and is for toolyard alone. Move the workspace elsewhere, or set TOOLYARD_HOME to another folder.`,
    );
  }
}

/** What to do about a folder that was named and is not there; with none named the message says it. */
function nextStep(named: string | undefined, cwd: string): string {
  if (named === undefined || named === "" || existsSync(path.resolve(cwd, named))) return "";
  return ` Name the folder that holds tools.json, or make a workspace there with: toolyard init ${shellWord(named)}`;
}

/**
 * The identity the folder has already, for showing or removing what is stored under it. Throws `ToolError` NOT_TRUSTED for
 * a folder that moved or was copied: its entries are the other folder's.
 */
export function recognisedIdentity({ config }: CliContext, root: string): WorkspaceIdentity | undefined {
  if (folderTrust(root, config.home).state() === "moved") {
    throw new ToolError(
      "NOT_TRUSTED",
      "This folder is not the workspace that was recorded: it moved, was copied, or another one was put at its path. What is stored belongs to the other until you look at this one and decide: toolyard trust",
    );
  }
  return existingIdentity(root);
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

/** What the files of the workspace say of settings now. No script is read, since putting it together can take seconds. */
export function settingsAsTheyAre(root: string): Pick<WorkspaceSnapshot, "settings" | "state"> {
  const { settings, state } = filesAsTheyAre(root);
  return { settings, state };
}

/** The same with the entries of tools.json that are usable by themselves. */
export function filesAsTheyAre(root: string): Pick<WorkspaceSnapshot, "settings" | "state"> & { readonly tools: readonly ToolEntry[] } {
  const limits = defaultLimits();
  const files = createFilesInUse(createWorkspaceReader(root, limits), createHolding(), limits).look(performance.now());
  const tools = (files.tools?.entries ?? []).flatMap((one) => (one.kind === "good" ? [one.entry] : []));
  return { settings: files.settings?.settings ?? defaultSettings(limits), state: stateOf(files), tools };
}

/** The workspace as people are shown it: below the working directory relative to it, its own name for that itself, else the whole path. */
export function workspaceLabel({ cwd }: CliContext, root: string): string {
  const below = path.relative(cwd, root);
  if (below === "") return path.basename(root);
  return below.startsWith("..") || path.isAbsolute(below) ? root : below;
}
