/** What alternatives and conditions ask for, in a sentence for a model or a person. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { cutText } from "../../core/text.ts";
import { shortJson } from "../short-json.ts";
import { isObjectBranch } from "./alternatives.ts";
import { asObject, isOpen, listAt, mapAt, textsAt } from "./forms.ts";

/** Most characters of one rule, and most alternatives told in it. */
const RULE_CHARACTERS = 700;
const TOLD_BRANCHES = 12;

/** The sentence for one keyword. */
export function ruleText(keyword: string, schema: JsonObject): string {
  return cutText(ruleOf(keyword, schema), RULE_CHARACTERS);
}

function ruleOf(keyword: string, schema: JsonObject): string {
  switch (keyword) {
    case "anyOf":
    case "oneOf":
      return alternativesText(keyword, listAt(schema, keyword));
    case "not":
      return notText(asObject(schema.not ?? {}));
    case "if":
      return conditionText(schema);
    case "dependentRequired":
      return Object.keys(mapAt(schema, keyword))
        .map((key) => `If "${key}" is given: with ${namesText(textsAt(mapAt(schema, keyword), key))}.`)
        .join(" ");
    case "dependentSchemas":
      return Object.entries(mapAt(schema, keyword))
        .map(([key, rule]) => `If "${key}" is given: ${partText(asObject(rule))}.`)
        .join(" ");
    case "enum":
      return `The whole is one of: ${listAt(schema, keyword).slice(0, TOLD_BRANCHES).map(shortJson).join(", ")}.`;
    case "const":
      return `The whole is ${shortJson(schema.const)}.`;
    default:
      return `Also holds: ${listAt(schema, keyword)
        .map((part) => partText(asObject(part)))
        .join("; ")}.`;
  }
}

function alternativesText(keyword: "anyOf" | "oneOf", branches: readonly JsonValue[]): string {
  const objects = branches.map(asObject).filter(isObjectBranch);
  const keys = objects.map((branch) => textsAt(branch, "required"));
  const areKeysAlone = objects.every(
    (branch, index) => (keys[index]?.length ?? 0) > 0 && Object.keys(branch).every((key) => key === "required"),
  );
  const told = areKeysAlone ? keys.map(namesText) : objects.map((branch, index) => `(${index + 1}) ${partText(branch)}`);
  const shown = told.slice(0, TOLD_BRANCHES);
  const more = told.length > shown.length ? ` … and ${told.length - shown.length} more` : "";
  const count = keyword === "oneOf" ? "exactly one" : "at least one";
  return areKeysAlone ? `Give ${count} of: ${shown.join("; ")}${more}.` : `This fits ${count} of: ${shown.join("; ")}${more}.`;
}

function notText(schema: JsonObject): string {
  const keys = textsAt(schema, "required");
  if (keys.length === 0 || Object.keys(schema).some((keyword) => keyword !== "required")) return `Not allowed: ${partText(schema)}.`;
  return `Do not give ${namesText(keys)}${keys.length > 1 ? " together" : ""}.`;
}

function conditionText(schema: JsonObject): string {
  const condition = partText(asObject(schema.if ?? {}));
  const parts = (["then", "else"] as const).flatMap((keyword) => {
    const branch = schema[keyword];
    if (isOpen(branch) || branch === undefined) return [];
    return [`${keyword === "then" ? "then" : "otherwise"} ${partText(asObject(branch))}`];
  });
  return `If ${condition}, ${parts.join("; ")}.`;
}

/** One schema of an object in a few words: constants, needed keys, other keys; JSON where words fail. */
function partText(schema: JsonObject): string {
  if (typeof schema.title === "string" && schema.title !== "") return `${schema.title}: ${wordsOf(schema)}`;
  return wordsOf(schema);
}

function wordsOf(schema: JsonObject): string {
  const properties = Object.entries(mapAt(schema, "properties"));
  const fixed = properties.flatMap(([key, value]) => fixedText(key, asObject(value)));
  const required = textsAt(schema, "required").filter((key) => !fixed.some(([name]) => name === key));
  const optional = properties.map(([key]) => key).filter((key) => !required.includes(key) && !fixed.some(([name]) => name === key));
  const absent = isJsonObject(schema.not) ? [`not ${wordsOf(schema.not)}`] : [];
  const inner = (["anyOf", "oneOf", "allOf"] as const).flatMap((keyword) => {
    const branches = listAt(schema, keyword).map((branch) => wordsOf(asObject(branch)));
    return branches.length === 0 ? [] : [`(${branches.join(keyword === "allOf" ? " and " : " or ")})`];
  });
  const words = [
    ...fixed.map(([, text]) => text),
    ...(required.length > 0 ? [`with ${namesText(required)}`] : []),
    ...(optional.length > 0 ? [`optionally ${namesText(optional)}`] : []),
    ...(schema.additionalProperties === false ? ["nothing else"] : []),
    ...absent,
    ...inner,
  ];
  return words.length > 0 ? words.join(", ") : cutText(JSON.stringify(schema), 160);
}

/** A key whose value is fixed, with the words for it. */
function fixedText(key: string, schema: JsonObject): readonly (readonly [string, string])[] {
  if (schema.const !== undefined) return [[key, `"${key}" is ${shortJson(schema.const)}`]];
  const values = listAt(schema, "enum");
  if (values.length === 0) return [];
  return [[key, `"${key}" is ${values.length === 1 ? "" : "one of "}${values.slice(0, TOLD_BRANCHES).map(shortJson).join(", ")}`]];
}

function namesText(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(" and ");
}
