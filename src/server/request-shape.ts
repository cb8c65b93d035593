/**
 * What is wrong with the parameters of a request, in words. The SDK refuses the same requests, but with the output of its
 * schema checker as message, which neither a model nor a person can read.
 */
import { isJsonObject, kindText } from "../core/json.ts";
import { type FieldRule, fieldsFault, object, optional, text } from "./field-rules.ts";
import { clientCapabilities, clientInfo, hasEnvelope, logLevel, metaFault, namedVersion } from "./request-meta.ts";

/** A list has one page, so no cursor can be one of ours. Empty counts as none: some clients send the field always. */
const CURSOR: readonly FieldRule[] = [
  { key: "cursor", what: "left out: each list is given whole, in one page", isOptional: true, is: (value) => value === "" },
];
const URI = [text("uri", "the URI of a resource")];
const texts = (key: string): FieldRule =>
  optional({ ...object(key, "an object with a text for each argument, or left out"), values: "text" });

/** Requests by method, as in the protocol's schema of 2025-11-25 and 2026-07-28; what is not here has no parameters that could be wrong. */
const SHAPES: ReadonlyMap<string, readonly FieldRule[]> = new Map([
  ["tools/call", [text("name", "the name of a tool"), optional(object("arguments", "an object with what the tool takes, or left out"))]],
  ["prompts/get", [text("name", "the name of a prompt"), texts("arguments")]],
  ["resources/read", URI],
  [
    "completion/complete",
    [
      object("ref", 'an object: { "type": "ref/prompt", "name" } or { "type": "ref/resource", "uri" }', [
        {
          key: "type",
          what: '"ref/prompt" or "ref/resource"',
          is: (value) => value === "ref/prompt" || value === "ref/resource",
        },
        { ...text("name", "the name of a prompt"), when: ({ type }) => type === "ref/prompt" },
        { ...text("uri", "the URI of a resource or of a template"), when: ({ type }) => type === "ref/resource" },
      ]),
      object("argument", 'an object with "name" and "value"', [
        text("name", "the name of an argument"),
        text("value", "what was typed so far"),
      ]),
      optional(object("context", "an object, or left out", [texts("arguments")])),
    ],
  ],
  ...["tools/list", "prompts/list", "resources/list", "resources/templates/list"].map((method) => [method, CURSOR] as const),
]);

/** Requests that 2026-07-28 has no more; there the answer is that the method is unknown, whatever its parameters. */
const LEGACY_SHAPES: ReadonlyMap<string, readonly FieldRule[]> = new Map([
  [
    "initialize",
    [
      text("protocolVersion", 'the version of the protocol, such as "2025-11-25"'),
      clientCapabilities("capabilities"),
      clientInfo("clientInfo"),
    ],
  ],
  ["resources/subscribe", URI],
  ["resources/unsubscribe", URI],
  ["logging/setLevel", [logLevel("level")]],
]);

/** What is wrong with a request. */
export interface RequestFault {
  readonly message: string;
  /** True where it is its `_meta`: that makes a request a malformed one, to be answered over HTTP by 400 (MCP 2026-07-28, basic). */
  readonly isOfMeta: boolean;
}

/** The first fault of a request's parameters; undefined for what is well-formed, or is not known here. */
export function requestFault(method: string, params: unknown): RequestFault | undefined {
  const ofMeta = metaFault(method, params);
  if (ofMeta !== undefined) return { message: ofMeta, isOfMeta: true };
  const message = paramsFault(method, params);
  return message === undefined ? undefined : { message, isOfMeta: false };
}

function paramsFault(method: string, params: unknown): string | undefined {
  const rules = SHAPES.get(method) ?? (isModern(method, params) ? undefined : LEGACY_SHAPES.get(method));
  if (rules === undefined) return undefined;
  if (params === undefined && rules.every(({ isOptional }) => isOptional)) return undefined;
  if (!isJsonObject(params)) {
    const keys = rules.map(({ key }) => `"${key}"`).join(" and ");
    return `The parameters of ${method} must be an object with ${keys}; found ${kindText(params)}.`;
  }
  return fieldsFault(method, params, rules);
}

function isModern(method: string, params: unknown): boolean {
  return method === "initialize" ? hasEnvelope(params) : namedVersion(params) !== undefined;
}
