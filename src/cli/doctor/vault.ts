import { openVault } from "../../secrets/vault.ts";
import type { Probe } from "../probe.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** The vault opens with the key it names, without anybody being asked, as `serve` needs it. No vault is no problem. */
export const vaultProbe: Probe<DoctorContext> = {
  name: "vault",
  about: "the vault opens, or none is there yet",
  code: "VAULT",
  run: async ({ cli, root }) => {
    using vault = openVault({ home: cli.config.home, config: cli.config.key, ...(root === undefined ? {} : { workspaceRoot: root }) });
    await vault.verify();
    return [];
  },
};
