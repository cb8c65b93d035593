/** `g.result`: ways to end a call on purpose. The isolate turns them into its outcome; nothing is asked of the host. */
import { readFileSync } from "node:fs";
import type { Capability } from "../../core/capability.ts";

/** Makes the capability; reads its guest text from disk. */
export function createResultCapability(): Capability {
  return {
    name: "result",
    methods: new Map(),
    notices: new Map(),
    guest: readFileSync(new URL("./guest.js", import.meta.url), "utf8"),
    types: TYPES,
  };
}

const TYPES = `interface GResult {
  /** Same as returning the value. */
  ok(content: JsonValue): unknown;
  /** Ends the call as failed with this message: return it. Not an error that was thrown: no position, no stack. */
  fail(message: string): unknown;
}
interface G { readonly result: GResult; }
`;
