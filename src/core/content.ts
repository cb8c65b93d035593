/**
 * Content blocks: what a result shows beside its value. The same kinds as in MCP (2025-06-18 and later, "Tool result"),
 * already checked: bytes are base64 in its one canonical form and are what their type says.
 */

/** Whom a block is for, and how much it matters (0 to 1): hints a client may follow. */
export interface ContentAnnotations {
  readonly audience?: readonly ("user" | "assistant")[];
  readonly priority?: number;
}

/** Text, or an image or sound as base64. */
export type TextBlock = { readonly type: "text"; readonly text: string; readonly annotations?: ContentAnnotations };

/** An image or a sound as base64. */
export type MediaBlock = {
  readonly type: "image" | "audio";
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: ContentAnnotations;
};

/** A place where a client may read more. `size` in bytes. */
export type LinkBlock = {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: ContentAnnotations;
};

/** A file that comes with the result: text, or bytes as base64. */
export type ResourceBlock = {
  readonly type: "resource";
  readonly resource:
    | { readonly uri: string; readonly mimeType?: string; readonly text: string }
    | { readonly uri: string; readonly mimeType?: string; readonly blob: string };
  readonly annotations?: ContentAnnotations;
};

/** One block of a result. */
export type ContentBlock = TextBlock | MediaBlock | LinkBlock | ResourceBlock;

/** The texts of the blocks that are text, one per line; what a reader without images sees. */
export function textOfBlocks(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
