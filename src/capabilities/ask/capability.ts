/**
 * `g.ask`: a script asks a person through the client that called. Here the form of a question is checked; whether there is
 * somebody to ask, how often and how long is decided behind `context.ask`.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Capability, HostMethod } from "../../core/capability.ts";
import { isJsonObject, type JsonObject, kindText } from "../../core/json.ts";
import { cutText, nearestName, wellFormed } from "../../core/text.ts";

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

/** An error in words: what was expected and what was found, or which key is not known here. */
function says(what: string, keys: readonly string[] = []): { error: (issue: z.core.$ZodRawIssue) => string } {
  return {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return `expected ${what}; found ${foundText(issue.input)}`;
      const unknown = issue.keys.map((key) => {
        const near = nearestName(key, keys);
        return `"${cutText(key, SHOWN_CHARACTERS)}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
      });
      return `has ${unknown.join(", ")}, which a form does not know here; known are ${keys.join(", ")}`;
    },
  };
}

/** Longest key or text shown in an error, in UTF-16 units. */
const SHOWN_CHARACTERS = 60;

function foundText(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "string" && value.length > SHOWN_CHARACTERS ? `text of ${value.length} characters` : kindText(value);
}

const text = z.string(says("text")).max(4_096, says("text of at most 4096 characters"));
const truth = z.boolean(says("true or false"));
const number = z.number(says("a number"));
const count = z.int(says("a whole number from 0 on")).min(0, says("a whole number from 0 on"));
const listOf = <T extends z.ZodType>(item: T, what: string): z.ZodArray<T> =>
  z.array(item, says(what)).min(1, says(what)).max(MAX_CHOICES, says(what));
const choices = listOf(text, `a list of 1 to ${MAX_CHOICES} texts`);
const titled = listOf(
  z.strictObject({ const: text, title: text }, says('{ "const", "title" }', ["const", "title"])),
  `a list of 1 to ${MAX_CHOICES} objects of "const" and "title"`,
);
const shown = { title: text.optional(), description: text.optional() };

/** An object with these keys and no others. */
function exactly<T extends z.ZodRawShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  const keys = Object.keys(shape);
  return z.strictObject(shape, says(`an object with ${keys.join(", ")}`, keys));
}

const namedChoices = exactly({ type: z.literal("string", says('"string"')), enum: choices });
const titledChoices = exactly({ anyOf: titled });

/** Which of the two is meant is told by its key, so that the error is about that one. */
const items = z.custom<z.infer<typeof namedChoices> | z.infer<typeof titledChoices>>().superRefine((value, context) => {
  const isTitled = isJsonObject(value) && Object.hasOwn(value, "anyOf");
  const checked = (isTitled ? titledChoices : namedChoices).safeParse(value);
  for (const { path, message } of checked.error?.issues ?? []) context.addIssue({ code: "custom", path: [...path], message });
});

const TYPES_OF_FIELDS = '"string", "number", "integer", "boolean" or "array"';

/** Fields as MCP allows them (2025-11-25 and 2026-07-28, elicitation, requested schema): forms have one level. */
const field = z.discriminatedUnion(
  "type",
  [
    exactly({ type: z.literal("boolean"), default: truth.optional(), ...shown }),
    exactly({
      type: z.enum(["number", "integer"]),
      minimum: number.optional(),
      maximum: number.optional(),
      default: number.optional(),
      ...shown,
    }),
    exactly({
      type: z.literal("string"),
      minLength: count.optional(),
      maxLength: count.optional(),
      format: z.enum(["email", "uri", "date", "date-time"], says('"email", "uri", "date" or "date-time"')).optional(),
      enum: choices.optional(),
      enumNames: choices.optional(),
      oneOf: titled.optional(),
      default: text.optional(),
      ...shown,
    }),
    exactly({
      type: z.literal("array"),
      items,
      minItems: count.optional(),
      maxItems: count.optional(),
      default: z.array(text, says("a list of texts")).optional(),
      ...shown,
    }),
  ],
  {
    error: ({ input }) =>
      isJsonObject(input)
        ? `expected ${TYPES_OF_FIELDS}; found ${typeof input.type === "string" ? `"${cutText(input.type, SHOWN_CHARACTERS)}"` : kindText(input.type)}`
        : `expected a field, an object with "type"; found ${kindText(input)}`,
  },
);

const form = exactly({
  type: z.literal("object", says('"object"')),
  properties: z
    .record(
      z.string().min(1, says("a name of 1 to 128 characters")).max(128, says("a name of 1 to 128 characters")),
      field,
      says("an object of fields"),
    )
    .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, `expected at most ${MAX_FIELDS} fields`),
  required: z.array(text, says("a list of names of fields")).optional(),
}).superRefine(({ properties, required = [] }, context) => {
  for (const [index, name] of required.entries()) {
    if (Object.hasOwn(properties, name)) continue;
    const message = `expected the name of a field of the form; found ${JSON.stringify(cutText(name, SHOWN_CHARACTERS))}`;
    context.addIssue({ code: "custom", path: ["required", index], message });
  }
});

interface ElicitParams {
  readonly message: string;
  readonly form?: z.infer<typeof form> | undefined;
  readonly key?: string | undefined;
}

function elicitMethod(): HostMethod<ElicitParams> {
  return {
    params: z.strictObject({
      message: z
        .string(says("text"))
        .min(1, says("text"))
        .max(MAX_MESSAGE_CHARACTERS, says(`text of at most ${MAX_MESSAGE_CHARACTERS} characters`)),
      form: form.optional(),
      key: z
        .string(says("text"))
        .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'expected 1 to 64 letters, digits, "_", "." and "-"')
        .optional(),
    }),
    async run(context, { message, form: asked, key }) {
      const { answer, waitedMs } = await context.ask({
        key: key ?? DEFAULT_KEY,
        message: wellFormed(message),
        schema: asked === undefined ? CONFIRMATION : jsonOf(asked),
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
