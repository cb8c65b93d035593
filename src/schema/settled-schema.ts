/** A schema as it is put into words: what it refers to and what it is put together from, in one object. */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { distinct } from "./publish/forms.ts";
import { alternativeText, expectedText } from "./schema-text.ts";
import { pointerTarget } from "./schema-walk.ts";

/** Schemas looked at for one text: a recursive one with alternatives would take time without end, and nobody reads that text. */
const MAX_SCHEMAS = 100;

/** Alternatives that are put into words. */
const SHOWN_BRANCHES = 6;

/** Keywords that mean something for one type only, for schemas that name none. */
const OF_TYPE: ReadonlyMap<string, readonly string[]> = new Map([
  ["array", ["items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains"]],
  ["object", ["properties", "patternProperties", "additionalProperties", "minProperties", "maxProperties", "propertyNames"]],
]);

/** What the schema expects, in words; `root` is the schema that its references are in. `any value` where it says nothing that can be put briefly. */
export function expectation(schema: unknown, root: unknown): string {
  const settled = settle(schema, root, { left: MAX_SCHEMAS });
  const text = expectedText(settled);
  if (text !== "a value" && text !== "any value") return text;
  if (!isJsonObject(settled) || settled.not === undefined) return "any value";
  return `anything but ${expectedText(settle(settled.not, root, { left: MAX_SCHEMAS }))}`;
}

/** What one of several alternatives expects, in words that tell it from the others as far as its keys do. */
export function alternativeExpectation(schema: unknown, root: unknown): string {
  const text = alternativeText(settle(schema, root, { left: MAX_SCHEMAS }));
  return text === "a value" ? "any value" : text;
}

/** The schema without references and `allOf`, and with the type that its other keywords are about, as far as that matters for words. */
function settle(schema: unknown, root: unknown, budget: { left: number }): unknown {
  budget.left -= 1;
  if (!isJsonObject(schema) || budget.left < 0) return schema;
  const { $ref, allOf, ...own } = schema;
  const target = typeof $ref === "string" && $ref.startsWith("#") && isJsonObject(root) ? pointerTarget(root, $ref) : undefined;
  const parts = [target, ...(Array.isArray(allOf) ? allOf : [])].map((part) => settle(part, root, budget)).filter(isJsonObject);
  const whole: JsonObject = Object.assign({}, ...parts, own);
  const alternatives = (["anyOf", "oneOf"] as const).flatMap((keyword) => {
    const branches = whole[keyword];
    if (!Array.isArray(branches)) return [];
    return [[keyword, branches.slice(0, SHOWN_BRANCHES).map((branch) => settle(branch, root, budget))]];
  });
  return { ...impliedType(whole), ...whole, ...requiredByAll([...parts, own]), ...Object.fromEntries(alternatives) };
}

/** Of schemas that must all fit, each has its say in what is required. */
function requiredByAll(parts: readonly JsonObject[]): JsonObject {
  const keys = parts.flatMap(({ required }) => (Array.isArray(required) ? required : []));
  return keys.length === 0 ? {} : { required: distinct(keys) };
}

function impliedType(schema: JsonObject): JsonObject {
  const isClear = ["type", "enum", "const", "anyOf", "oneOf"].some((keyword) => schema[keyword] !== undefined);
  const types = isClear ? [] : [...OF_TYPE].filter(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined));
  const [only, ...others] = types;
  return only === undefined || others.length > 0 ? {} : { type: only[0] };
}
