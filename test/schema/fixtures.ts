/** Reads the schemas of `test/fixtures/schemas`. */
import { readdirSync, readFileSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";

/** One schema of a real tool, or one of our own; `name` says which. */
export interface SchemaCase {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Cases of one file. */
export interface SchemaGroup {
  readonly group: string;
  readonly cases: readonly SchemaCase[];
}

const FIXTURES = new URL("../fixtures/schemas/", import.meta.url);

/** Our own cases, one group for each kind of fault. `outputs` are schemas of results. */
export function ownGroups(): readonly SchemaGroup[] {
  return groupsIn("own/", "cases", ({ fault, schema }) => (isJsonObject(schema) ? [{ name: String(fault), schema }] : []));
}

/** Schemas of real tools, one group for each source. */
export function referenceGroups(): readonly SchemaGroup[] {
  return groupsIn("reference/", "tools", ({ name, inputSchema }) =>
    isJsonObject(inputSchema) ? [{ name: String(name), schema: inputSchema }] : [],
  );
}

/** Schemas of what those tools return, where they have one. */
export function referenceOutputs(): readonly SchemaCase[] {
  return groupsIn("reference/", "tools", ({ name, outputSchema }) =>
    isJsonObject(outputSchema) ? [{ name: String(name), schema: outputSchema }] : [],
  ).flatMap(({ cases }) => cases);
}

function groupsIn(folder: string, list: string, read: (item: JsonObject) => readonly SchemaCase[]): readonly SchemaGroup[] {
  const path = new URL(folder, FIXTURES);
  return readdirSync(path)
    .toSorted()
    .map((file) => {
      const content: JsonObject = JSON.parse(readFileSync(new URL(file, path), "utf8"));
      const items = content[list];
      return { group: file.replace(".json", ""), cases: Array.isArray(items) ? items.filter(isJsonObject).flatMap(read) : [] };
    });
}
