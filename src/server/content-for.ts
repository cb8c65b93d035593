import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ContentBlock } from "../core/content.ts";

/** The first protocol versions with these blocks; older clients refuse a whole result over a block they do not know. */
const AUDIO_SINCE = "2025-03-26";
const LINKS_SINCE = "2025-06-18";

/** The blocks as a client of that protocol version reads them; what it does not know becomes text that says what it was. */
export function contentFor(blocks: readonly ContentBlock[], version: string): CallToolResult["content"] {
  return blocks.map((block) => writable(known(block, version)));
}

function known(block: ContentBlock, version: string): ContentBlock {
  if (block.type === "audio" && version < AUDIO_SINCE) {
    return {
      type: "text",
      text: `[A sound, ${block.mimeType}, ${Buffer.byteLength(block.data, "base64")} bytes; this client cannot take it.]`,
    };
  }
  if (block.type === "resource_link" && version < LINKS_SINCE) return { type: "text", text: `${block.name}: ${block.uri}` };
  return block;
}

/** The SDK's types ask for lists that can be changed. */
function writable({ annotations, ...block }: ContentBlock): CallToolResult["content"][number] {
  if (annotations === undefined) return block;
  const { audience, ...rest } = annotations;
  return { ...block, annotations: { ...rest, ...(audience === undefined ? {} : { audience: [...audience] }) } };
}
