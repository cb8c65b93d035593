/**
 * `g.result`: ways to end a call on purpose, and content blocks. The isolate turns them into its outcome; nothing is asked
 * of the host, and what the blocks hold is checked outside (src/results).
 */
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

const TYPES = `/** Hints for clients: whom a block is for, and how much it matters (0 to 1). */
interface GAnnotations { audience?: Array<"user" | "assistant">; priority?: number; }
/** Bytes, or base64 text. */
type GBytes = Uint8Array | ArrayBuffer | string;
/** What a result shows beside its value. The type of bytes is checked against them. */
type GContentBlock =
  | { type: "text"; text: string; annotations?: GAnnotations }
  | { type: "image" | "audio"; data: GBytes; mimeType: string; annotations?: GAnnotations }
  | { type: "resource_link"; uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number; annotations?: GAnnotations }
  | { type: "resource"; resource: { uri: string; mimeType?: string; text: string } | { uri: string; mimeType?: string; blob: GBytes }; annotations?: GAnnotations };
interface GResult {
  /** Same as returning the value. */
  ok(content: JsonValue): unknown;
  /** Ends the call as failed with this message, and with these blocks after it: return it. Not an error that was thrown: no position, no stack. */
  fail(message: string, blocks?: GContentBlock[]): unknown;
  /** Ends the call with these blocks, and with this value beside them: return it. The value's JSON comes first where no block is text. */
  content(blocks: GContentBlock[], value?: JsonValue): unknown;
  /** An image: return it, or put it into a list for content(). */
  image(bytes: GBytes, mimeType: string): GContentBlock;
  audio(bytes: GBytes, mimeType: string): GContentBlock;
  /** A file that comes with the result: text, or bytes. */
  resource(uri: string, content: string | Uint8Array | ArrayBuffer, mimeType?: string): GContentBlock;
  /** A place where the client may read more. */
  link(uri: string, name: string): GContentBlock;
}
interface G { readonly result: GResult; }
`;
