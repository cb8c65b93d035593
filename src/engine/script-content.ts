import type { ContentBlock } from "../core/content.ts";
import { ToolError } from "../core/errors.ts";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import { wellFormedJson } from "../core/text.ts";
import type { Redactor } from "../egress/redactor.ts";
import { parseContentBlocks } from "../results/content-blocks.ts";

/** What the content of a script is checked and redacted with. */
export interface ScriptContentOptions {
  readonly tool: string;
  readonly limits: Pick<Limits, "resultBytes" | "mediaBytes">;
  readonly redactor: Redactor;
}

/**
 * Content blocks as a script gave them, checked and with the secrets of this call masked. Bytes that hold a secret are left
 * out as a whole, with a text in their place: masked bytes would be a broken image. Throws `ToolError` SCRIPT_ERROR
 * for malformed blocks and RESULT_TOO_LARGE for more than `resultBytes` or `mediaBytes`.
 */
export function readScriptContent(raw: readonly JsonValue[], { tool, limits, redactor }: ScriptContentOptions): readonly ContentBlock[] {
  checkTextSize(raw, { tool, limits });
  const masked = raw.map((block) => maskOutsideOfBytes(wellFormedJson(block), redactor));
  const blocks = parseContentBlocks(masked, { tool, mediaBytes: limits.mediaBytes });
  return blocks.map((block) => withoutSecretBytes(block, redactor));
}

/** Keys whose values are bytes as base64 in blocks that are well formed; in others the parser refuses them. */
const BYTE_KEYS: readonly string[] = ["data", "blob"];

function maskOutsideOfBytes(value: JsonValue, redactor: Redactor): JsonValue {
  if (!isJsonObject(value)) return redactor.redactJson(value);
  const entries = Object.entries(value).map(([key, inner]) => {
    if (BYTE_KEYS.includes(key)) return [key, inner] as const;
    return [key, isJsonObject(inner) ? maskOutsideOfBytes(inner, redactor) : redactor.redactJson(inner)] as const;
  });
  return Object.fromEntries(entries);
}

function checkTextSize(raw: readonly JsonValue[], { tool, limits }: Omit<ScriptContentOptions, "redactor">): void {
  const text = JSON.stringify(raw, (key, inner: unknown) => (BYTE_KEYS.includes(key) ? undefined : inner));
  const bytes = Buffer.byteLength(text);
  if (bytes <= limits.resultBytes) return;
  throw new ToolError(
    "RESULT_TOO_LARGE",
    `${tool} returned ${bytes} bytes beside images, sounds and files; the limit is ${limits.resultBytes} ("resultBytes"). Return less.`,
    { data: { bytes, limit: limits.resultBytes } },
  );
}

function withoutSecretBytes(block: ContentBlock, redactor: Redactor): ContentBlock {
  const base64 = bytesOf(block);
  if (base64 === undefined) return block;
  const bytes = Buffer.from(base64, "base64");
  // The base64 text is looked into as well: a secret may be spelled by it.
  if (redactor.redactBytes(bytes) === bytes && redactor.redactText(base64) === base64) return block;
  const what = block.type === "resource" ? `The file ${block.resource.uri}` : `An ${block.type} of ${bytes.length} bytes`;
  return { type: "text", text: `[${what} is left out: it holds a secret that this call sent.]` };
}

function bytesOf(block: ContentBlock): string | undefined {
  if (block.type === "image" || block.type === "audio") return block.data;
  return block.type === "resource" && "blob" in block.resource ? block.resource.blob : undefined;
}
