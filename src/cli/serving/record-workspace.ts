import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { openTrust, type Trust } from "../../policy/trust-store.ts";
import { workspaceIdentity } from "../../workspace/workspace-identity.ts";
import type { CliRuntime } from "../cli-runtime.ts";
import type { CliContext } from "../command.ts";
import { refuseLostAgents } from "../lost-agents.ts";

/** The identity of a served folder, and what is recorded of it. */
export interface RecordedWorkspace {
  readonly id: string;
  readonly trust: Trust;
  /** True for a name in toolyard.json, and for any name in a workspace that never had agents. */
  isAgent(name: string): boolean;
}

/**
 * Gives the folder an identity, and remembers for good that it has agents, now or by a later edit: taking them out of
 * toolyard.json, which an agent itself may do, must not open all tools to everybody. Throws `UsageError` for a workspace
 * that had agents and defines none any more.
 */
export async function recordWorkspace({ config }: CliContext, runtime: CliRuntime, log: Log): Promise<RecordedWorkspace> {
  const identity = workspaceIdentity(runtime.root);
  const trust = openTrust(config.home, identity);
  let hadAgents = trust.hadAgents();
  const note = async (): Promise<void> => {
    const agents = runtime.agents();
    hadAgents ||= agents.length > 0;
    await recordAgents(trust, agents);
  };
  await note();
  runtime.engine.onChange(() => {
    note().catch((error: unknown) => log.error("workspace.agents.notRecorded", { reason: messageOf(error) }));
  });
  refuseLostAgents(runtime.workspace.current(), hadAgents);
  return { id: identity.id, trust, isAgent: (name) => (runtime.agents().length === 0 ? !hadAgents : runtime.agents().includes(name)) };
}

/**
 * The same for a command that calls once: remembers agents, and throws `UsageError` where they are lost. A folder
 * that has neither agents nor an identity gets none, and nothing is written.
 */
export async function recordOnce({ config }: CliContext, runtime: CliRuntime): Promise<void> {
  const agents = runtime.agents();
  if (agents.length > 0) await recordAgents(openTrust(config.home, workspaceIdentity(runtime.root)), agents);
  else refuseLostAgents(runtime.workspace.current(), runtime.trust().hadAgents());
}

/** Remembers for good that the workspace has these agents; without any nothing is written. */
export async function recordAgents(trust: Trust, agents: readonly string[]): Promise<void> {
  if (agents.length > 0) await trust.recordAgents();
}
