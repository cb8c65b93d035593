import type { Problem } from "../../core/problem.ts";
import { openVault } from "../../secrets/vault.ts";
import { existingIdentity } from "../../workspace/workspace-identity.ts";
import type { CliRuntime } from "../cli-runtime.ts";
import type { Probe } from "../probe.ts";
import type { CheckContext } from "./check-context.ts";
import { missingProblems, unnamedProblems } from "./missing-secrets.ts";
import { type BindingContext, bindingProblems, secretsSeen } from "./secret-bindings.ts";

/** Every secret that a tool names is stored, and every host and place to which a tool would send it fits what it is bound to. */
export const secretsProbe: Probe<Pick<CheckContext, "runtime" | "tools" | "home" | "flag">> = {
  name: "secrets",
  about: "every secret that a tool names is stored, and may go where the tools send it",
  code: "VAULT",
  run: ({ runtime, tools, home, flag }) => {
    const facts = bindingContext(runtime, home, flag);
    // In a folder that moved trust comes first, and where the agents are lost nobody may use any tool.
    const isOpen = tools.length > 0 && runtime.trust().state() !== "moved";
    return [...(isOpen ? missingProblems(facts) : []), ...namingProblems(runtime, facts), ...bindingProblems(facts)];
  },
};

/** Names of agents that stand for nothing; not told while a file has an error, since what is set aside may name them. */
export function namingProblems({ workspace }: CliRuntime, facts: BindingContext): readonly Problem[] {
  return workspace.current().problems.some(({ severity }) => severity === "error") ? [] : unnamedProblems(facts);
}

/** What the bindings of a workspace are compared with. Reads the vault's list, which needs no key. */
export function bindingContext(runtime: CliRuntime, home: string, flag: string): BindingContext {
  using vault = openVault({ home, config: { keychain: false } });
  const { agents, agentSecrets, prefix } = runtime.workspace.current().settings;
  return {
    scriptTools: runtime.scriptTools(),
    agents: agents.map((agent) => agentSecrets.find((one) => one.agent === agent) ?? { agent, names: [] }),
    stored: secretsSeen(vault, knownId(runtime)),
    flag,
    prefix,
  };
}

/** The id that secrets of the folder are stored under; undefined for one that has none, or that moved. */
export function knownId(runtime: CliRuntime): string | undefined {
  return runtime.trust().state() === "moved" ? undefined : existingIdentity(runtime.root)?.id;
}
