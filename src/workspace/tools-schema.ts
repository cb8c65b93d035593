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

const queryText = headerText.meta({
  description: "Text, not encoded; {{NAME}} or <<NAME>> is replaced by that secret, outside the sandbox.",
});

const queryValue = z.union([
  queryText,
  z.object({
    value: queryText,
    hosts: hostList.meta({ description: "Send this parameter to these hosts only." }).optional(),
    replaceExisting: z
      .boolean("true or false")
      .meta({ description: "False: a parameter of the same name in the script's URL is an error.", default: true })
      .optional(),
  }),
]);

const query = z
  .record(z.string().regex(/^[^\p{Cc}\p{Cs}]{1,128}$/u, "a name of 1 to 128 characters"), queryValue, "an object of query parameters")
  .meta({ description: "Parameters added to the URL of each request of the tool, outside the sandbox." });

const oauth2 = z
  .object(
    {
      tokenUrl: text
        .min(1, "a URL")
        .max(2_048, "a URL of at most 2048 characters")
        .meta({ description: "Where the token is asked for; https." }),
      clientId: headerText.min(1, "text").meta({ description: "Text, or the secret that holds it: {{NAME}}." }),
      clientSecret: headerText.min(1, "a template").meta({ description: "The secret that holds it: {{NAME}}." }),
      scope: text
        // RFC 6749, 3.3.
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, "words with a blank between them")
        .max(2_048, "text of at most 2048 characters")
        .meta({ description: "What the token shall be good for." })
        .optional(),
      clientAuth: z
        .enum(["basic", "body"], '"basic" or "body"')
        .meta({ description: "How the client shows who it is: by a header, or in the body.", default: "basic" })
        .optional(),
      hosts: hostList.meta({ description: "Send the token to these hosts only." }).optional(),
    },
    "an object with tokenUrl, clientId and clientSecret",
  )
  .meta({ description: "OAuth 2 client credentials; the token goes along as Authorization: Bearer." });

const auth = z
  .object({ oauth2 }, "an object with oauth2")
  .meta({ description: "A token that is fetched outside the sandbox, kept in memory and renewed." });

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
    query: query.optional(),
    auth: auth.optional(),
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
    query: query.optional(),
    auth: auth.optional(),
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
