/** All guards whose removal has to be noticed by a test. */
import { additionGuards } from "./additions.ts";
import { addressGuards } from "./addresses.ts";
import { commandGuards } from "./commands.ts";
import type { SecurityGuard } from "./guard.ts";
import { redactionGuards } from "./redaction.ts";
import { requestGuards } from "./requests.ts";
import { serverGuards } from "./server.ts";
import { tokenGuards } from "./tokens.ts";
import { vaultGuards } from "./vault.ts";
import { workspaceGuards } from "./workspace.ts";

/** In the order of the table. */
export const SECURITY_GUARDS: readonly SecurityGuard[] = [
  ...vaultGuards,
  ...commandGuards,
  ...workspaceGuards,
  ...addressGuards,
  ...requestGuards,
  ...additionGuards,
  ...tokenGuards,
  ...redactionGuards,
  ...serverGuards,
];
