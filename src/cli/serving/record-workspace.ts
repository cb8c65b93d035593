import { realpathSync } from "node:fs";
import { messageOf } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import { openTrust, type Trust } from "../../policy/trust-store.ts";
import { existingIdentity, workspaceIdentity } from "../../workspace/workspace-identity.ts";
import type { CliRuntime } from "../cli-runtime.ts";
import type { CliContext } from "../command.ts";
import { UsageError } from "../usage-error.ts";

/** The identity of a served folder, and what is recorded of it. */
export interface RecordedWorkspace {
  readonly id: string;
  readonly trust: Trust;
  /** True for a name in toolyard.json, and for any name in a workspace that never had agents. */
  isAgent(name: string): boolean;
}

/**
 * Gives the folder an identity, and remembers for good that it has agents, now or by a later edit: taking them out of
 * toolyard.json, which an agent itself may do, must not open all tools to everybody. Throws {@link UsageError} for a
 * workspace that had agents and defines none any more.
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
  refuseLostAgents(runtime, hadAgents);
  return { id: identity.id, trust, isAgent: (name) => (runtime.agents().length === 0 ? !hadAgents : runtime.agents().includes(name)) };
}

/**
 * The same for a command that calls once: remembers agents, and throws {@link UsageError} where they are lost. A folder
 * that has neither agents nor an identity gets none, and nothing is written.
 */
export async function recordOnce({ config }: CliContext, runtime: CliRuntime): Promise<void> {
  const { root } = runtime;
  const agents = runtime.agents();
  // Taking the id away as well must not help: what is recorded of the path counts too, and an id nobody has finds that.
  const identity = agents.length > 0 ? workspaceIdentity(root) : (existingIdentity(root) ?? { id: newId(), realPath: realpathSync(root) });
  const trust = openTrust(config.home, identity);
  await recordAgents(trust, agents);
  refuseLostAgents(runtime, trust.hadAgents());
}

/** Remembers for good that the workspace has these agents; without any nothing is written. */
export async function recordAgents(trust: Trust, agents: readonly string[]): Promise<void> {
  if (agents.length > 0) await trust.recordAgents();
}

function refuseLostAgents(runtime: CliRuntime, hadAgents: boolean): void {
  const isReadable = runtime.workspace.current().state === "ok";
  if (!hadAgents || runtime.agents().length > 0 || !isReadable) return;
  throw new UsageError(
    "This workspace had agents, and toolyard.json defines none now; without them every caller would get every tool. Define them again.",
  );
}
