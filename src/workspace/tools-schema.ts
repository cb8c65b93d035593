/**
 * The fields of tools.json, defined once: the loader reads files by these, and the JSON Schema for editors is made from
 * them. Ranges that only warn (time limits and limits) stand in `meta`, so that editors show what the loader caps.
 */
import { z } from "zod";
import { HTTP_TOKEN } from "../core/http-header.ts";
import { LIMITS, type LimitName } from "../core/limits.ts";
import { promptEntrySchema, resourceEntrySchema } from "./offer-schema.ts";

/** Format version of tools.json that this code reads. */
export const TOOLS_FILE_VERSION = 1;

type LimitNumber = z.ZodOptional<z.ZodInt>;

/** A number for a limit of the table; what is out of range is capped with a warning. */
export function limitNumber(name: LimitName): LimitNumber {
  const { about, min, workspaceMax, default: standard } = LIMITS[name];
  return z.int("a whole number").meta({ description: about, minimum: min, maximum: workspaceMax, default: standard }).optional();
}

/** A field for each of these limits, of a tool or of the workspace. */
export function limitFields<Name extends LimitName>(names: readonly Name[]): { readonly [name in Name]: LimitNumber } {
  // fromEntries gives string keys; they are exactly the names given.
  return Object.fromEntries(names.map((name) => [name, limitNumber(name)])) as { readonly [name in Name]: LimitNumber };
}

/** Seconds above zero; more than the maximum is capped with a warning. */
export const timeoutSeconds = z
  .number("a number of seconds")
  .positive("a number of seconds above 0")
  .meta({ description: "Wall clock of one call in seconds, requests included.", maximum: LIMITS.callTimeoutMs.workspaceMax / 1_000 });

const text = z.string("text");

const hostList = z
  .array(text.min(1, "a host").max(300, "a host"), "a list of hosts")
  .meta({ description: "host, *.host (exactly one label) or either with :port." });

const headerText = text
  .max(8_192, "text of at most 8192 characters")
  // A line break would start another header; NUL ends the text in some servers.
  .regex(/^[^\r\n\0]*$/, "text on one line")
  .meta({ description: "Text; {{NAME}} or <<NAME>> is replaced by that secret, outside the sandbox." });

const headerValue = z.union([
  headerText,
  z.object({
    value: headerText,
    hosts: hostList.meta({ description: "Send this header to these hosts only." }).optional(),
    replaceExisting: z
      .boolean("true or false")
      .meta({ description: "False: a header of the same name set by the script is an error.", default: true })
      .optional(),
  }),
]);

const headers = z
  .record(z.string().regex(HTTP_TOKEN, "a name of a header"), headerValue, "an object of headers")
  .meta({ description: "Headers added to each request of the tool, outside the sandbox." });

const allowedHosts = hostList.meta({
  description:
    "Hosts the tool may reach. Absent: any public host; for a tool that names secrets only the hosts those are bound to. []: none.",
});

const config = z.record(z.string(), z.unknown(), "an object").meta({ description: "Settings for the script, as g.config." });

/** Limits that hold for one call, and so can be a tool's own. */
const TOOL_LIMITS = [
  "memoryMb",
  "argumentsBytes",
  "requestBodyBytes",
  "responseBodyBytes",
  "resultBytes",
  "resultCharacters",
  "mediaBytes",
  "requestsPerCall",
  "requestsAtOnce",
  "redirects",
  "questionsPerCall",
  "questionMs",
  "logBytes",
] as const satisfies readonly LimitName[];

const toolLimits = z.object(limitFields(TOOL_LIMITS), "an object of limits");

const annotations = z
  .object(
    {
      title: text.optional(),
      readOnlyHint: z.boolean("true or false").optional(),
      destructiveHint: z.boolean("true or false").optional(),
      idempotentHint: z.boolean("true or false").optional(),
      openWorldHint: z.boolean("true or false").optional(),
    },
    "an object of hints",
  )
  .meta({ description: "Hints to clients about what the tool does." });

/** How scripts are kept apart: a realm kept per tool, or a new one per call. */
export const isolation = z.enum(["tool", "call"], '"tool" or "call"').meta({ description: '"call": a new realm for each call.' });

/** Whether arguments written as text are read as what they stand for. */
export const repair = z
  .boolean("true or false")
  .meta({ description: 'False: arguments are checked as they are; "12" is no number.', default: true });

/** One entry of `tools`. */
export const toolEntrySchema = z.object(
  {
    name: text
      .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'of 1 to 128 letters, digits, "_", "." and "-"')
      .meta({ description: "Name of the tool; unique without regard to case." }),
    title: text.min(1, "text").max(200, "text of at most 200 characters").optional(),
    description: text
      .min(1, "text that tells a model what the tool does")
      .max(16_384, "text of at most 16384 characters")
      .meta({ description: "What the tool does, for the model." }),
    script: z.string("a path").min(1, "a path").meta({ description: "Path of the script, relative to this file." }),
    timeout: timeoutSeconds.optional(),
    parameters: z
      .record(z.string(), z.unknown(), "a JSON Schema, an object")
      .meta({ description: "JSON Schema of the arguments." })
      .optional(),
    output: z
      .union([z.record(z.string(), z.unknown(), "a JSON Schema"), z.boolean("a JSON Schema")])
      .meta({ description: "JSON Schema of the result." })
      .optional(),
    headers: headers.optional(),
    allowedHosts: allowedHosts.optional(),
    annotations: annotations.optional(),
    config: config.optional(),
    limits: toolLimits.optional(),
    isolation: isolation.optional(),
    repair: repair.optional(),
    enabled: z.boolean("true or false").meta({ description: "False: the tool is not offered.", default: true }).optional(),
  },
  "an object that describes a tool",
);

/** Values for every tool that does not set its own. */
const toolDefaultsSchema = z.object(
  {
    timeout: timeoutSeconds.optional(),
    headers: headers.optional(),
    allowedHosts: allowedHosts.optional(),
    limits: toolLimits.optional(),
    config: config.optional(),
  },
  "an object of defaults",
);

/** The file as a whole; keys that start with `x-` are free everywhere. */
export const toolsFileSchema = z.object({
  $schema: text.meta({ description: "Address of the JSON Schema of this file, for editors." }).optional(),
  version: z.literal(TOOLS_FILE_VERSION).optional(),
  defaults: toolDefaultsSchema.optional(),
  tools: z.array(toolEntrySchema, "a list of tools"),
  prompts: z.array(promptEntrySchema, "a list of prompts").meta({ description: "Texts that a person picks in a client." }).optional(),
  resources: z.array(resourceEntrySchema, "a list of resources").meta({ description: "Files that clients may read." }).optional(),
});
