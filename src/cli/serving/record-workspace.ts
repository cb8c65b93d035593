import { openTrust, type Trust } from "../../policy/trust-store.ts";
import { workspaceIdentity } from "../../workspace/workspace-identity.ts";
import type { CliRuntime } from "../cli-runtime.ts";
import type { CliContext } from "../command.ts";

/** The identity of a served folder, and what is recorded of it. */
export interface RecordedWorkspace {
  readonly id: string;
  readonly trust: Trust;
}

/** Gives the folder an identity, and remembers that it has agents, so that taking them out later does not open its tools to all. */
export async function recordWorkspace({ config }: CliContext, runtime: CliRuntime): Promise<RecordedWorkspace> {
  const identity = workspaceIdentity(runtime.root);
  const trust = openTrust(config.home, identity);
  if (runtime.agents().length > 0) await trust.recordAgents();
  return { id: identity.id, trust };
}
