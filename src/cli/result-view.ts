import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { ContentBlock } from "../core/content.ts";
import { systemCode } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type { CallResult } from "../core/tool.ts";
import { UsageError } from "./usage-error.ts";

/** A result as lines for people: a value as it is or as JSON, blocks one after the other, with a line for what a terminal cannot show. */
export function resultLines(result: Extract<CallResult, { kind: "ok" }>): readonly string[] {
  if (result.blocks !== undefined) return blockLines(result.blocks);
  return [typeof result.value === "string" ? result.value : JSON.stringify(result.value, null, 2)];
}

/** A line or text for each block. */
export function blockLines(blocks: readonly ContentBlock[]): readonly string[] {
  return blocks.map(blockLine);
}

function blockLine(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}: ${block.mimeType}, ${Buffer.byteLength(block.data, "base64")} bytes]`;
    case "resource_link":
      return `[link: ${block.name}, ${block.uri}]`;
    case "resource": {
      const { resource } = block;
      const type = resource.mimeType === undefined ? "" : `, ${resource.mimeType}`;
      return "text" in resource
        ? `[file: ${resource.uri}${type}]\n${resource.text}`
        : `[file: ${resource.uri}${type}, ${Buffer.byteLength(resource.blob, "base64")} bytes]`;
    }
  }
}

/** A result for machines. */
export function resultData(result: Extract<CallResult, { kind: "ok" }>): JsonValue {
  return {
    text: result.text,
    value: result.value,
    ...(result.structured === undefined ? {} : { structured: result.structured }),
    ...(result.blocks === undefined ? {} : { content: contentData(result.blocks) }),
  };
}

/** Blocks for machines. */
export function contentData(blocks: readonly ContentBlock[]): JsonValue {
  // Blocks hold JSON only; their optional fields, which the type of JSON knows nothing of, are left out by this.
  const data: JsonValue = JSON.parse(JSON.stringify(blocks));
  return data;
}

/**
 * Writes each image, sound and file of the blocks to a file: the first to `file`, others with -2, -3 … before its
 * extension. Gives the paths. Throws {@link UsageError} where there is nothing to write, and where a file is there already.
 */
export async function saveBlocks(blocks: readonly ContentBlock[], file: string): Promise<readonly string[]> {
  const contents = blocks.flatMap((block) => bytesOf(block) ?? []);
  if (contents.length === 0) throw new UsageError("--save: the result has no image, sound or file to write.");
  const { dir, name, ext } = path.parse(file);
  const paths: string[] = [];
  for (const [index, bytes] of contents.entries()) {
    const target = index === 0 ? file : path.join(dir, `${name}-${index + 1}${ext}`);
    try {
      await writeFile(target, bytes, { flag: "wx" });
    } catch (error) {
      const reason = systemCode(error) === "EEXIST" ? "it is there already" : systemCode(error);
      throw new UsageError(`--save: ${target} could not be written (${reason}).`, { cause: error });
    }
    paths.push(target);
  }
  return paths;
}

function bytesOf(block: ContentBlock): Buffer | undefined {
  switch (block.type) {
    case "image":
    case "audio":
      return Buffer.from(block.data, "base64");
    case "resource":
      return "text" in block.resource ? Buffer.from(block.resource.text) : Buffer.from(block.resource.blob, "base64");
    default:
      return undefined;
  }
}
