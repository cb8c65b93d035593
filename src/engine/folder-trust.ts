import { realpathSync } from "node:fs";
import { openPathTrust, openTrust, type TrustView } from "../policy/trust-store.ts";
import { existingIdentity } from "../workspace/workspace-identity.ts";

/**
 * What is recorded in `home` of the folder at `root`: of its identity, or of its path alone where it has none, since taking
 * the id away must not make it a folder that nothing is known of. Writes nothing. Throws `ToolError` as `existingIdentity`.
 */
export function folderTrust(root: string, home: string): TrustView {
  const identity = existingIdentity(root);
  return identity === undefined ? openPathTrust(home, realpathSync(root)) : openTrust(home, identity);
}
