/** One tool as `describe` shows it: what clients are told of it, in the form in which it is published. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { ListedTool } from "../core/tool.ts";
import { visible } from "../core/visible-text.ts";
import type { PublishedTool } from "../schema/publish-schema.ts";
import { publishedDescription } from "../schema/tool-description.ts";
import { oneLine, visibleName } from "./terminal-text.ts";

/** Widest text about one parameter. */
const MAX_ABOUT = 160;

/** Deepest element of an array whose type is named. */
const MAX_DEPTH = 3;

/** Lines about a tool that works. `published`: its schemas as clients get them; `flag`: see `workspaceFlag`. */
export function toolDetailLines(tool: ListedTool, { parameters, output }: PublishedTool, flag: string): string[] {
  const { name, description, timeoutMs, hosts = [] } = tool;
  const given = output?.published ?? tool.output;
  const pairs = requiredNames(parameters.published).map((key) => ` ${visibleName(key)}=…`);
  return [
    ...visible(publishedDescription(description, parameters)).split("\n"),
    "",
    ...parameterLines(parameters.published, new Map([...parameters.rename.names].map(([own, safe]) => [safe, own]))),
    ...(given === undefined ? [] : ["", "Gives:", ...indented(given)]),
    "",
    `Time limit: ${timeoutMs / 1000} s`,
    ...(hosts.length === 0 ? [] : [`May reach: ${hosts.map(visibleName).join(", ")}`]),
    `Try it: toolyard run${flag} ${visibleName(name)}${pairs.join("")}`,
  ];
}

function parameterLines(parameters: JsonObject, ownNames: ReadonlyMap<string, string>): string[] {
  const properties = isJsonObject(parameters.properties) ? Object.entries(parameters.properties) : [];
  // A client can give nothing there.
  const takeable = properties.filter(([, schema]) => !takesNothing(schema));
  if (takeable.length === 0) return [parameters.additionalProperties === false ? "Takes: nothing" : "Takes: nothing in particular"];
  const required = requiredNames(parameters);
  const rows = takeable.map(([name, schema]) => {
    const own = ownNames.get(name);
    const text = schemaText(schema);
    // The description of a renamed parameter may say so itself.
    const about = own === undefined || text.includes(own) ? text : `${text}; "${own}" in tools.json`;
    return [visibleName(name), required.includes(name) ? "required" : "", oneLine(about, MAX_ABOUT)] as const;
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  return ["Takes:", ...rows.map(([name, need, text]) => `  ${name.padEnd(width)}  ${need.padEnd("required".length)}  ${text}`.trimEnd())];
}

function takesNothing(schema: JsonValue): boolean {
  return schema === false || (isJsonObject(schema) && isJsonObject(schema.not) && Object.keys(schema.not).length === 0);
}

function schemaText(schema: JsonValue): string {
  if (!isJsonObject(schema)) return "anything";
  const { default: standard, description } = schema;
  const parts = [
    typeText(schema, 0),
    standard === undefined ? "" : `default ${JSON.stringify(standard)}`,
    typeof description === "string" ? description : "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}

/** `integer`, `"a" or "b"`, `array of string`, `string or null`; `anything` where the schema says nothing of it. */
function typeText(schema: JsonValue | undefined, depth: number): string {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return "anything";
  const { type, enum: members, const: only, items } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(members)) return members.map((member) => JSON.stringify(member)).join(", ");
  const types = Array.isArray(type) ? type.filter((name) => typeof name === "string") : typeof type === "string" ? [type] : [];
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  if (types.length === 0 && branches.length > 0) {
    const texts = [...new Set(branches.map((branch: JsonValue) => typeText(branch, depth + 1)))];
    // Where one alternative asks something of it, that says what it is for.
    const asked = texts.filter((text) => text !== "anything");
    return (asked.length === 0 ? texts : asked).join(" or ");
  }
  if (types.length === 0) return "anything";
  const named = types.map((name) => (name === "array" && isJsonObject(items) ? arrayText(items, depth) : name));
  return named.join(" or ");
}

function arrayText(items: JsonObject, depth: number): string {
  const element = typeText(items, depth + 1);
  return element === "anything" ? "array" : `array of ${element.includes(" or ") || element.includes(", ") ? `(${element})` : element}`;
}

function requiredNames({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

function indented(schema: JsonObject): string[] {
  return JSON.stringify(schema, null, 2)
    .split("\n")
    .map((line) => `  ${visible(line)}`);
}
