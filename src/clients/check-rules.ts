import { isJsonObject, type JsonObject } from "../core/json.ts";
import { pointerPart, subschemasOf } from "../schema/schema-walk.ts";
import type { Client, Demand } from "./client-rule.ts";
import type { PublishedTool } from "./published-tool.ts";
import { fullName, outside, wireName } from "./wire-name.ts";

/** How a tool breaks a demand: what is so, and what to change. */
export interface Breach {
  readonly why: string;
  readonly mend: string;
}

/** The tool in its surroundings. */
export interface ToolSetting {
  readonly tool: PublishedTool;
  readonly client: Client;
  /** Name of the server in the client's settings. */
  readonly server: string;
  /** How often each name that the model gets is there. */
  readonly names: ReadonlyMap<string, number>;
}

/** Where the tool breaks the demand; undefined if it does not. `tool-count` is not about one tool. */
export function breachOf(demand: Demand, setting: ToolSetting): Breach | undefined {
  const { tool, client, server, names } = setting;
  switch (demand.kind) {
    case "name-length":
      return tooLong(demand.max, setting);
    case "name-characters":
      return oddCharacters(demand.allowed, setting);
    case "name-start": {
      const first = tool.name.slice(0, 1);
      if (first.match(outside(demand.allowed)) === null) return undefined;
      return { why: `the name begins with "${first}"`, mend: "Let it begin with a letter." };
    }
    case "name-without":
      if (!tool.name.includes(demand.text)) return undefined;
      return { why: `the name has "${demand.text}"`, mend: renameText(tool.name.replaceAll(demand.text, "_"), setting) };
    case "names-apart": {
      const name = wireName(tool.name, server, client.names);
      if ((names.get(name) ?? 0) < 2) return undefined;
      return { why: `another tool becomes "${name}" too`, mend: "Rename one of the two." };
    }
    case "description-length": {
      const { length } = tool.description;
      if (length <= demand.max) return undefined;
      return { why: `the description has ${length} characters; at most ${demand.max}`, mend: "Shorten it; the first sentences count." };
    }
    case "property-keys":
      return oddKey(tool.inputSchema, demand);
    case "no-top-keys":
      return topKey(tool.inputSchema, demand.keys);
    case "typed-parameters":
      return parameterWithoutType(tool.inputSchema);
    case "root-without": {
      const found = demand.keywords.filter((keyword) => tool.inputSchema[keyword] !== undefined);
      if (found.length === 0) return undefined;
      return { why: `"parameters" has ${found.join(" and ")} at the top`, mend: "Move it into a property." };
    }
    case "array-items":
      return arrayWithoutItems(tool.inputSchema);
    case "text-enums":
      return enumOfOthers(tool.inputSchema);
    case "tool-count":
      return undefined;
  }
}

function tooLong(max: number, { tool, client, server }: ToolSetting): Breach | undefined {
  const { length } = fullName(tool.name, server, client.names);
  if (length <= max) return undefined;
  const added = length - tool.name.length;
  const withPrefix = added === 0 ? "" : ` with "${fullName("", server, client.names)}"`;
  return { why: `the name has ${length} characters${withPrefix}; at most ${max}`, mend: `Shorten it to ${Math.max(1, max - added)}.` };
}

function oddCharacters(allowed: string, setting: ToolSetting): Breach | undefined {
  const { name } = setting.tool;
  const odd = [...new Set(name.match(outside(allowed)) ?? [])];
  if (odd.length === 0) return undefined;
  return { why: `the name has ${quoted(odd)}`, mend: renameText(name.replace(outside(allowed), "_"), setting) };
}

function renameText(name: string, { names, server, client }: ToolSetting): string {
  return names.has(wireName(name, server, client.names)) ? `Rename it; "${name}" is there already.` : `Name it ${name}.`;
}

function oddKey(schema: JsonObject, { allowed, max }: Extract<Demand, { kind: "property-keys" }>): Breach | undefined {
  const odd = subschemasOf(schema)
    .flatMap(({ schema: { properties } }) => (isJsonObject(properties) ? Object.keys(properties) : []))
    .filter((key) => key === "" || key.length > max || key.match(outside(allowed)) !== null);
  if (odd.length === 0) return undefined;
  return { why: `parameters are named ${quoted(odd)}`, mend: `Use letters, digits, "_", "." and "-", at most ${max}.` };
}

function topKey({ properties }: JsonObject, keys: readonly string[]): Breach | undefined {
  const odd = keys.filter((key) => isJsonObject(properties) && Object.hasOwn(properties, key));
  return odd.length === 0 ? undefined : { why: `a parameter is named ${quoted(odd)}`, mend: "Give it another name." };
}

/** Keywords that stand in the place of a type. */
const ALTERNATIVES = ["anyOf", "oneOf", "allOf"] as const;

function parameterWithoutType(schema: JsonObject): Breach | undefined {
  const bare = subschemasOf(schema).flatMap(({ pointer, schema: { properties } }) =>
    Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([key, item]) =>
      isJsonObject(item) && ["type", ...ALTERNATIVES].every((keyword) => item[keyword] === undefined)
        ? [`${pointer}/properties${pointerPart(key)}`]
        : [],
    ),
  );
  const [first] = bare;
  if (first === undefined) return undefined;
  const more = bare.length > 1 ? ` and ${bare.length - 1} more` : "";
  return { why: `a parameter has no "type" (${placeOf(first)}${more})`, mend: 'Give it a "type"; text can hold any value as JSON.' };
}

function arrayWithoutItems(schema: JsonObject): Breach | undefined {
  const bare = subschemasOf(schema).find(
    ({ schema: { type, items, prefixItems } }) => isOrHas(type, "array") && items === undefined && prefixItems === undefined,
  );
  return bare && { why: `an array says nothing of its elements (${placeOf(bare.pointer)})`, mend: 'Give it "items".' };
}

function enumOfOthers(schema: JsonObject): Breach | undefined {
  const odd = subschemasOf(schema).find(
    ({ schema: { enum: values } }) => Array.isArray(values) && values.some((value) => typeof value !== "string"),
  );
  return (
    odd && {
      why: `an "enum" has values that are no text (${placeOf(odd.pointer)})`,
      mend: "Make them text, or say the range with minimum and maximum.",
    }
  );
}

function isOrHas(type: unknown, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

function placeOf(pointer: string): string {
  return pointer.replaceAll("/properties/", "/").slice(1) || "the root";
}

/** At most three, each in quotes. */
function quoted(texts: readonly string[]): string {
  const shown = texts.slice(0, 3).map((text) => `"${text}"`);
  return shown.join(", ") + (texts.length > shown.length ? ` and ${texts.length - shown.length} more` : "");
}
