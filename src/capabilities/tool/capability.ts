/** `g.tool`: the tool's name, texts and checked arguments. All of it is known when the call starts; nothing is asked of the host. */
import { readFileSync } from "node:fs";
import type { Capability } from "../../core/capability.ts";

/** Makes the capability; reads its guest text from disk. */
export function createToolCapability(): Capability {
  return {
    name: "tool",
    methods: new Map(),
    notices: new Map(),
    guest: readFileSync(new URL("./guest.js", import.meta.url), "utf8"),
    types: TYPES,
  };
}

const TYPES = `interface GTool<A = any> {
  /** Checked arguments, deeply frozen; an optional argument that was not given is undefined. */
  readonly args: A;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
}
interface G { readonly tool: GTool; }
`;
