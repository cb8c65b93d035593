import { openVault } from "../../secrets/vault.ts";
import { existingIdentity } from "../../workspace/workspace-identity.ts";
import type { CliRuntime } from "../cli-runtime.ts";
import type { Probe } from "../probe.ts";
import type { CheckContext } from "./check-context.ts";
import { type BindingContext, bindingProblems, secretsSeen } from "./secret-bindings.ts";

/** Every host and place to which a tool would send a secret fits what the secret is bound to. */
export const secretBindingsProbe: Probe<Pick<CheckContext, "runtime" | "home" | "flag">> = {
  name: "secret bindings",
  about: "every secret may go where the tools send it",
  code: "VAULT",
  run: ({ runtime, home, flag }) => {
    return bindingProblems(bindingContext(runtime, home, flag));
  },
};

/** What the bindings of a workspace are compared with. Reads the vault's list, which needs no key. */
export function bindingContext(runtime: CliRuntime, home: string, flag: string): BindingContext {
  using vault = openVault({ home, config: { keychain: false } });
  const { agents, agentSecrets } = runtime.workspace.current().settings;
  return {
    scriptTools: runtime.scriptTools(),
    agents: agents.map((agent) => agentSecrets.find((one) => one.agent === agent) ?? { agent, names: [] }),
    stored: secretsSeen(vault, knownId(runtime)),
    flag,
  };
}

/** The id that secrets of the folder are stored under; undefined for one that has none, or that moved. */
export function knownId(runtime: CliRuntime): string | undefined {
  return runtime.trust().state() === "moved" ? undefined : existingIdentity(runtime.root)?.id;
}
