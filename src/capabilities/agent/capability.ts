/** `g.agent`: for whom the call runs, known when it starts; nothing is asked of the host. */
import { readFileSync } from "node:fs";
import type { Capability } from "../../core/capability.ts";

/** Makes the capability; reads its guest text from disk. */
export function createAgentCapability(): Capability {
  return {
    name: "agent",
    methods: new Map(),
    notices: new Map(),
    guest: readFileSync(new URL("./guest.js", import.meta.url), "utf8"),
    types: TYPES,
  };
}

const TYPES = `interface G {
  readonly agent: { readonly id: string; readonly instanceId: string };
}
`;
