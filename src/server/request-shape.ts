/**
 * What is wrong with the parameters of a request, in words. The SDK refuses the same requests, but with the output of its
 * schema checker as message, which neither a model nor a person can read.
 */
import { isJsonObject, type JsonObject, kindText } from "../core/json.ts";
import { cutText } from "../core/text.ts";

/** A field must be as `is` says where it is there, and there unless it is optional; `what` names it in messages. */
interface FieldRule {
  readonly key: string;
  readonly what: string;
  readonly isOptional?: true;
  is(value: unknown): boolean;
  /** Of an object: what stands in it. */
  readonly fields?: readonly FieldRule[];
  /** Of an object with any keys: true if each value is text. */
  readonly hasOnlyTexts?: true;
}

const isText = (value: unknown): boolean => typeof value === "string";
const text = (key: string, what: string): FieldRule => ({ key, what: `${what}, as text`, is: isText });
const object = (key: string, what: string, fields: readonly FieldRule[] = []): FieldRule => ({ key, what, is: isJsonObject, fields });

/** Levels of MCP's log messages, those of syslog (RFC 5424). */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

const CURSOR: readonly FieldRule[] = [{ ...text("cursor", "the cursor of the page before"), isOptional: true }];
const URI = [text("uri", "the URI of a resource")];

/** Requests by method, as in the protocol's schema of 2025-11-25 and 2026-07-28; what is not here has no parameters that could be wrong. */
const SHAPES: ReadonlyMap<string, readonly FieldRule[]> = new Map([
  [
    "tools/call",
    [text("name", "the name of a tool"), { ...object("arguments", "an object with what the tool takes, or left out"), isOptional: true }],
  ],
  [
    "prompts/get",
    [
      text("name", "the name of a prompt"),
      { ...object("arguments", "an object with a text for each argument, or left out"), isOptional: true, hasOnlyTexts: true },
    ],
  ],
  ["resources/read", URI],
  [
    "completion/complete",
    [
      object("ref", 'an object: { "type": "ref/prompt", "name" } or { "type": "ref/resource", "uri" }', [
        {
          key: "type",
          what: '"ref/prompt" or "ref/resource"',
          is: (value: unknown) => value === "ref/prompt" || value === "ref/resource",
        },
      ]),
      object("argument", 'an object with "name" and "value"', [
        text("name", "the name of an argument"),
        text("value", "what was typed so far"),
      ]),
    ],
  ],
  ...["tools/list", "prompts/list", "resources/list", "resources/templates/list"].map((method) => [method, CURSOR] as const),
]);

/** Requests that 2026-07-28 has no more; there the answer is that the method is unknown, whatever its parameters. */
const LEGACY_SHAPES: ReadonlyMap<string, readonly FieldRule[]> = new Map([
  ["resources/subscribe", URI],
  ["resources/unsubscribe", URI],
  [
    "logging/setLevel",
    [
      {
        key: "level",
        what: `one of ${LEVELS.join(", ")}`,
        is: (value: unknown) => LEVELS.some((level) => level === value),
      },
    ],
  ],
]);

/** The key by which a request says that it is of 2026-07-28. */
const VERSION_META_KEY = "io.modelcontextprotocol/protocolVersion";

/** The first fault of a request's parameters; undefined for what is well-formed, or is not known here. */
export function paramsFault(method: string, params: unknown): string | undefined {
  const rules = SHAPES.get(method) ?? (isModern(params) ? undefined : LEGACY_SHAPES.get(method));
  if (rules === undefined) return undefined;
  if (params === undefined && rules.every(({ isOptional }) => isOptional)) return undefined;
  if (!isJsonObject(params)) {
    const keys = rules.map(({ key }) => `"${key}"`).join(" and ");
    return `The parameters of ${method} must be an object with ${keys}; found ${kindText(params)}.`;
  }
  return fieldsFault(method, params, rules, "");
}

function fieldsFault(method: string, given: JsonObject, rules: readonly FieldRule[], parent: string): string | undefined {
  for (const { key, what, isOptional, is, fields = [], hasOnlyTexts } of rules) {
    const value: unknown = Object.hasOwn(given, key) ? given[key] : undefined;
    if (value === undefined && isOptional) continue;
    const path = `${parent}${key}`;
    if (!is(value)) return `"${path}" of ${method} must be ${what}; found ${kindText(value)}.${hint(value, what)}`;
    const inner = isJsonObject(value) ? fieldsFault(method, value, fields, `${path}.`) : undefined;
    if (inner !== undefined) return inner;
    const other = hasOnlyTexts && isJsonObject(value) ? Object.entries(value).find(([, item]) => !isText(item)) : undefined;
    if (other !== undefined) return `"${path}.${cutText(other[0], 60)}" of ${method} must be text; found ${kindText(other[1])}.`;
  }
  return undefined;
}

/** Models write objects as text; over the protocol there is nobody who could read it as one. */
function hint(value: unknown, what: string): string {
  return typeof value === "string" && what.startsWith("an object") ? " Send the object itself, not its JSON text." : "";
}

function isModern(params: unknown): boolean {
  return isJsonObject(params) && isJsonObject(params._meta) && params._meta[VERSION_META_KEY] !== undefined;
}
