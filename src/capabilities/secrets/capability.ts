/** `g.secrets`: there to say why it gives nothing. The host side has no method on purpose: no message of a script can ask for a secret. */
import { readFileSync } from "node:fs";
import type { Capability } from "../../core/capability.ts";

/** Makes the capability; reads its guest text from disk. */
export function createSecretsCapability(): Capability {
  return {
    name: "secrets",
    methods: new Map(),
    notices: new Map(),
    guest: readFileSync(new URL("./guest.js", import.meta.url), "utf8"),
    types: TYPES,
  };
}

const TYPES = `interface GSecrets {
  /** Always throws SECRET_ACCESS_DENIED. Put a template such as <<NAME>> into the tool's headers or query in tools.json instead. */
  getSecret(name: string): never;
}
interface G { readonly secrets: GSecrets; }
`;
