import type { JsonObject } from "../core/json.ts";

/**
 * The schema of arguments as clients get it: `type` and `properties` are always there, since several clients refuse a
 * list without them; `$schema` and the identifiers go, since some clients fetch or refuse them. The rest is as written.
 */
export function publishSchema(schema: JsonObject): JsonObject {
  const { $schema: _dialect, $id: _identifier, type: _type, properties = {}, ...rest } = schema;
  // Up to draft-04 the identifier is "id"; in later dialects a key of that name means nothing.
  const { id, ...withoutId } = rest;
  return { type: "object", properties, ...(typeof id === "string" ? withoutId : rest) };
}
