/**
 * Content blocks of a script, checked: a script may give anything. What comes out has the form that clients parse, since
 * most of them refuse a whole answer over one malformed block, and bytes that are what their type says.
 */
import { z } from "zod";
import type { ContentBlock } from "../core/content.ts";
import { ToolError } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { checkMediaType } from "./media-type.ts";

/** What blocks are checked with. */
export interface ContentRules {
  /** Name of the tool, for messages. */
  readonly tool: string;
  /** All bytes together, decoded; more is `ToolError` RESULT_TOO_LARGE. Default of the limit: `mediaBytes`. */
  readonly mediaBytes: number;
}

/** Blocks of one result; a thousand are a mistake, and each costs the client work. */
const MAX_BLOCKS = 1_000;

/** Longest URI, name or type, in UTF-16 units. */
const MAX_LABEL_CHARACTERS = 2_048;

const label = z.string().min(1).max(MAX_LABEL_CHARACTERS);
const uri = label.refine((text) => URL.canParse(text), "not a URI with a scheme, such as https://… or file:///…");
const bytes = z.union([z.string(), z.strictObject({ base64: z.string() }).transform(({ base64 }) => base64)], "not base64 text or bytes");
const annotations = z
  .strictObject({ audience: z.array(z.enum(["user", "assistant"])).optional(), priority: z.number().min(0).max(1).optional() })
  .optional();

const blockSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string(), annotations }),
  z.strictObject({ type: z.enum(["image", "audio"]), data: bytes, mimeType: label, annotations }),
  z.strictObject({
    type: z.literal("resource_link"),
    uri,
    name: label,
    title: label.optional(),
    description: z.string().optional(),
    mimeType: label.optional(),
    size: z.int().min(0).optional(),
    annotations,
  }),
  z.strictObject({
    type: z.literal("resource"),
    resource: z.union(
      [
        z.strictObject({ uri, mimeType: label.optional(), text: z.string() }),
        z.strictObject({ uri, mimeType: label.optional(), blob: bytes }),
      ],
      'not { uri, text } or { uri, blob }, with a "mimeType" where it is known, and a URI with a scheme',
    ),
    annotations,
  }),
]);

type RawBlock = z.infer<typeof blockSchema>;

/**
 * The blocks as clients get them. Throws `ToolError` SCRIPT_ERROR that names the block and what is wrong with it, and
 * RESULT_TOO_LARGE for too many bytes.
 */
export function parseContentBlocks(blocks: readonly JsonValue[], rules: ContentRules): readonly ContentBlock[] {
  if (blocks.length > MAX_BLOCKS) throw wrong(rules, `has ${blocks.length} blocks; at most ${MAX_BLOCKS} are sent`);
  let left = rules.mediaBytes;
  const take = (base64: string, place: string): Buffer => {
    const decoded = decodeBase64(base64);
    if (decoded === undefined) throw wrong(rules, `${place} is not base64 text (without "data:" before it)`);
    left -= decoded.length;
    if (left < 0) throw tooLarge(rules);
    return decoded;
  };
  return blocks.map((block, index) => {
    const checked = blockSchema.safeParse(block);
    if (!checked.success) throw wrong(rules, firstIssue(checked.error, index));
    return completeBlock(checked.data, { index, take, rules });
  });
}

/** The bytes of a base64 text, with or without padding; undefined for any other text. */
export function decodeBase64(text: string): Buffer | undefined {
  // Buffer.from skips what is no base64, so that "<html>" would become bytes.
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
}

interface BlockContext {
  readonly index: number;
  readonly take: (base64: string, place: string) => Buffer;
  readonly rules: ContentRules;
}

function completeBlock(block: RawBlock, context: BlockContext): ContentBlock {
  const { annotations: given, ...rest } = block;
  const hints = given === undefined ? {} : { annotations: withoutUndefined(given) };
  const place = `content[${context.index}]`;
  switch (rest.type) {
    case "text":
      return { ...rest, ...hints };
    case "image":
    case "audio": {
      const decoded = context.take(rest.data, `${place}.data`);
      const mimeType = mediaType(rest.mimeType, decoded, { place, kind: rest.type, rules: context.rules });
      return { type: rest.type, data: decoded.toString("base64"), mimeType, ...hints };
    }
    case "resource_link":
      return { ...withoutUndefined(rest), ...hints };
    case "resource":
      return { type: "resource", resource: completeResource(rest.resource, context), ...hints };
  }
}

function completeResource(
  resource: Extract<RawBlock, { type: "resource" }>["resource"],
  { index, take, rules }: BlockContext,
): Extract<ContentBlock, { type: "resource" }>["resource"] {
  if ("text" in resource) return withoutUndefined(resource);
  const { uri: address, mimeType, blob } = resource;
  const place = `content[${index}].resource`;
  const decoded = take(blob, `${place}.blob`);
  const data = { uri: address, blob: decoded.toString("base64") };
  if (mimeType === undefined) return data;
  // Of files only images and sounds are looked into: for others (text, JSON, archives) there is no one way to begin.
  const isMedia = /^(?:image|audio)\//i.test(mimeType);
  return { ...data, mimeType: isMedia ? mediaType(mimeType, decoded, { place, kind: undefined, rules }) : mimeType };
}

function mediaType(
  declared: string,
  decoded: Buffer,
  { place, kind, rules }: { readonly place: string; readonly kind: "image" | "audio" | undefined; readonly rules: ContentRules },
): string {
  if (kind !== undefined && !declared.toLowerCase().startsWith(`${kind}/`)) {
    throw wrong(rules, `${place} is an ${kind} block whose "mimeType" is not one of ${kind}/…; other files go into a resource block`);
  }
  const verdict = checkMediaType(declared, decoded);
  if (verdict.kind === "wrong") throw wrong(rules, `${place} ${verdict.reason}`);
  return verdict.mimeType;
}

/** Zod's optional fields may be there and undefined; on the wire they are not there. */
function withoutUndefined<T extends object>(fields: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // What is left of T has only the fields that are not undefined, which is what the return type says.
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

function firstIssue(error: z.ZodError, index: number): string {
  const issue = error.issues[0];
  const path = issue?.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("") ?? "";
  const message =
    issue?.code === "invalid_union" && path === ".type" ? 'is not "text", "image", "audio", "resource_link" or "resource"' : issue?.message;
  return `content[${index}]${path}: ${message}`;
}

function wrong({ tool }: ContentRules, what: string): ToolError {
  return new ToolError("SCRIPT_ERROR", `Tool "${tool}" returned content that cannot be sent: ${what}.`);
}

function tooLarge({ tool, mediaBytes }: ContentRules): ToolError {
  return new ToolError(
    "RESULT_TOO_LARGE",
    `Tool "${tool}" returned more than ${mediaBytes} bytes of images, sounds and files, the limit of one result ("mediaBytes"). Return fewer or smaller ones, or links.`,
    { data: { limit: mediaBytes } },
  );
}
