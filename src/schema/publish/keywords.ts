/** Which keywords mean something in which dialect, and which are not published at all. */
import { isJsonObject, type JsonValue } from "../../core/json.ts";
import { allDialects, type Dialect } from "../dialect-name.ts";

/** Keywords that came with a dialect, or went with one. Sources: the release notes of draft-06, draft-07, 2019-09 and 2020-12. */
const SINCE: Readonly<Record<string, Dialect>> = {
  const: "draft-06",
  contains: "draft-06",
  propertyNames: "draft-06",
  if: "draft-07",
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: "draft-07",
  else: "draft-07",
  dependentRequired: "2019-09",
  dependentSchemas: "2019-09",
  maxContains: "2019-09",
  minContains: "2019-09",
  unevaluatedItems: "2019-09",
  unevaluatedProperties: "2019-09",
  prefixItems: "2020-12",
};

/** Names of the schema and of places in it, holders of definitions, and comments. What they are for is done when references are inlined. */
const REMOVED: ReadonlySet<string> = new Set([
  "$anchor",
  "$comment",
  "$defs",
  "$dynamicAnchor",
  "$dynamicRef",
  "$id",
  "$recursiveAnchor",
  "$recursiveRef",
  "$ref",
  "$schema",
  "$vocabulary",
  "definitions",
  // OpenAPI: it names schemas by references, which are no longer there.
  "discriminator",
]);

/** True if the keyword means something in the dialect. */
export function isInDialect(keyword: string, dialect: Dialect): boolean {
  const since = Object.hasOwn(SINCE, keyword) ? SINCE[keyword] : undefined;
  return since === undefined || allDialects().indexOf(dialect) >= allDialects().indexOf(since);
}

/** Keywords that came after a dialect: what has their name there says nothing. */
export function laterKeywords(dialect: Dialect): readonly string[] {
  return Object.keys(SINCE).filter((keyword) => !isInDialect(keyword, dialect));
}

/** Keywords that hold data, in which nothing is a reference. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);

/** True if the keyword is not published. */
export function isRemoved(keyword: string, value: JsonValue): boolean {
  if (DATA.has(keyword)) return false;
  return REMOVED.has(keyword) || (keyword === "id" && typeof value === "string") || holdsReferences(value);
}

/** True if a value that is no schema holds references all the same: a part of another document, kept as a target. */
function holdsReferences(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(holdsReferences);
  if (!isJsonObject(value)) return false;
  return typeof value.$ref === "string" || Object.values(value).some(holdsReferences);
}
