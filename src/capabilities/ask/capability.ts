/**
 * `g.ask`: a script asks a person through the client that called. Here the form of a question is checked; whether there is
 * somebody to ask, how often and how long is decided behind `context.ask`.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Capability, HostMethod } from "../../core/capability.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { wellFormed } from "../../core/text.ts";

/** Makes the capability; reads its guest text from disk. */
export function createAskCapability(): Capability {
  return {
    name: "ask",
    methods: new Map([["elicit", elicitMethod()]]),
    notices: new Map(),
    guest: readFileSync(new URL("./guest.js", import.meta.url), "utf8"),
    types: TYPES,
  };
}

/** Longest question, in UTF-16 units: a person reads it in a dialog. */
const MAX_MESSAGE_CHARACTERS = 4_096;

/** Fields of one form. */
const MAX_FIELDS = 32;

/** Choices of one field. */
const MAX_CHOICES = 200;

const text = z.string().max(4_096);
const shown = { title: text.optional(), description: text.optional() };
const choices = z.array(text).min(1).max(MAX_CHOICES);
const titled = z
  .array(z.strictObject({ const: text, title: text }))
  .min(1)
  .max(MAX_CHOICES);
const count = z.int().min(0);

/** Fields as MCP allows them (2025-11-25 and 2026-07-28, elicitation, requested schema): forms have one level. */
const field = z.union(
  [
    z.strictObject({ type: z.literal("boolean"), default: z.boolean().optional(), ...shown }),
    z.strictObject({
      type: z.enum(["number", "integer"]),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      default: z.number().optional(),
      ...shown,
    }),
    z.strictObject({
      type: z.literal("string"),
      minLength: count.optional(),
      maxLength: count.optional(),
      format: z.enum(["email", "uri", "date", "date-time"]).optional(),
      enum: choices.optional(),
      enumNames: choices.optional(),
      oneOf: titled.optional(),
      default: text.optional(),
      ...shown,
    }),
    z.strictObject({
      type: z.literal("array"),
      items: z.union([z.strictObject({ type: z.literal("string"), enum: choices }), z.strictObject({ anyOf: titled })]),
      minItems: count.optional(),
      maxItems: count.optional(),
      default: z.array(text).optional(),
      ...shown,
    }),
  ],
  "not a field of a form: string (also with format, enum, or oneOf of const and title), number, integer, boolean, or array of choices",
);

const form = z
  .strictObject({
    type: z.literal("object"),
    properties: z
      .record(z.string().min(1).max(128), field)
      .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, `more than ${MAX_FIELDS} fields`),
    required: z.array(z.string()).optional(),
  })
  .refine(
    ({ properties, required = [] }) => required.every((name) => Object.hasOwn(properties, name)),
    '"required" names a field that is not there',
  );

interface ElicitParams {
  readonly message: string;
  readonly schema?: z.infer<typeof form> | undefined;
  readonly key?: string | undefined;
}

function elicitMethod(): HostMethod<ElicitParams> {
  return {
    params: z.strictObject({
      message: z.string().min(1).max(MAX_MESSAGE_CHARACTERS),
      schema: form.optional(),
      key: z
        .string()
        .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'not of 1 to 64 letters, digits, "_", "." and "-"')
        .optional(),
    }),
    async run(context, { message, schema, key }) {
      const { answer, waitedMs } = await context.ask({
        key: key ?? DEFAULT_KEY,
        message: wellFormed(message),
        schema: schema === undefined ? CONFIRMATION : jsonOf(schema),
      });
      return { answer: { ...answer }, waitedMs };
    },
  };
}

/** Name of a question that has none of its own; a call has one at a time as a rule. */
const DEFAULT_KEY = "question";

/** A form without fields: the person can only accept or decline. */
const CONFIRMATION: JsonObject = { type: "object", properties: {} };

/** The form without the keys that zod adds for what is not there. */
function jsonOf(schema: z.infer<typeof form>): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(schema));
  return isJsonObject(plain) ? plain : CONFIRMATION;
}

const TYPES = `/** A field of a form. */
type GFormField = { title?: string; description?: string } & (
  | { type: "string"; minLength?: number; maxLength?: number; format?: "email" | "uri" | "date" | "date-time"; default?: string }
  | { type: "string"; enum: string[]; enumNames?: string[]; default?: string }
  | { type: "string"; oneOf: Array<{ const: string; title: string }>; default?: string }
  | { type: "number" | "integer"; minimum?: number; maximum?: number; default?: number }
  | { type: "boolean"; default?: boolean }
  | { type: "array"; items: { type: "string"; enum: string[] } | { anyOf: Array<{ const: string; title: string }> }; minItems?: number; maxItems?: number; default?: string[] });
interface GForm { type: "object"; properties: Record<string, GFormField>; required?: string[]; }
type GAnswer =
  | { action: "accept"; content: Record<string, string | number | boolean | string[]> }
  | { action: "decline" }
  | { action: "cancel" };
interface GAsk {
  /**
   * Asks a person through the client; without a form they can only accept or decline. The time limit stands still
   * meanwhile: at most 5 minutes, and 3 questions in one call. Rejects with code UNAVAILABLE where the client cannot ask.
   * Never ask for passwords or keys: store them with toolyard secrets set.
   */
  elicit(message: string, form?: GForm, options?: { key?: string }): Promise<GAnswer>;
}
interface G { readonly ask: GAsk; }
`;
