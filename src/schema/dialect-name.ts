/** The five dialects of JSON Schema that tools may use, by name. */
import type { JsonObject } from "../core/json.ts";

/** A dialect, named as its `$schema` addresses name it. */
export type Dialect = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

/** The dialect of a schema without `$schema` (MCP, schema dialect). */
export const DEFAULT_DIALECT: Dialect = "2020-12";

/** Every dialect with the path of its meta-schema below `json-schema.org`. */
export const META_SCHEMA_PATHS: Readonly<Record<Dialect, string>> = {
  "draft-04": "draft-04/schema",
  "draft-06": "draft-06/schema",
  "draft-07": "draft-07/schema",
  "2019-09": "draft/2019-09/schema",
  "2020-12": "draft/2020-12/schema",
};

const META_SCHEMA_ADDRESS = /^https?:\/\/json-schema\.org\/((?:draft-0[467]|draft\/20(?:19-09|20-12))\/schema)#?$/;

/** The dialect that a schema names by `$schema`; undefined for an address that is none of the five. */
export function dialectOf(schema: JsonObject): Dialect | undefined {
  const address = schema.$schema;
  if (address === undefined) return DEFAULT_DIALECT;
  if (typeof address !== "string") return undefined;
  const path = META_SCHEMA_ADDRESS.exec(address)?.[1];
  return allDialects().find((dialect) => META_SCHEMA_PATHS[dialect] === path);
}

/** The five names, oldest first. */
export function allDialects(): readonly Dialect[] {
  return ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"];
}
