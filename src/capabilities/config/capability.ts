/** `g.config`: settings of this tool for this agent, known when the call starts; nothing is asked of the host. */
import { readFileSync } from "node:fs";
import type { Capability } from "../../core/capability.ts";

/** Makes the capability; reads its guest text from disk. */
export function createConfigCapability(): Capability {
  return {
    name: "config",
    methods: new Map(),
    notices: new Map(),
    guest: readFileSync(new URL("./guest.js", import.meta.url), "utf8"),
    types: TYPES,
  };
}

const TYPES = `interface G {
  /** Settings of this tool for this agent, deeply frozen. */
  readonly config: Readonly<Record<string, JsonValue>>;
}
`;
