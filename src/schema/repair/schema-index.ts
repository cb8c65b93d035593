import type { JsonObject, JsonValue } from "../../core/json.ts";
import { dialectOf } from "../dialect-name.ts";
import { createReferences } from "../references.ts";
import { REFERENCE_KEYWORDS } from "../schema-walk.ts";
import type { Kind } from "./admitted-types.ts";

/** Where the references of one schema lead. */
export interface SchemaIndex {
  /** What the references of a subschema mean. */
  targetsOf(schema: JsonObject): readonly JsonValue[];
  /** The subschema without what does not count: up to draft-07 nothing does that stands beside a `$ref`. */
  counting(schema: JsonObject): JsonObject;
  /** What `admittedKinds` found out; without it, schemas that many others refer to would be looked at again and again. */
  readonly kinds: WeakMap<JsonObject, ReadonlySet<Kind>>;
  /** True if a default stands anywhere in the schema. */
  readonly hasDefaults: boolean;
}

const NOTHING: JsonObject = Object.freeze({});

/** Indexes a schema that passed `checkSchema`. */
export function createSchemaIndex(root: JsonObject): SchemaIndex {
  const { subschemas, follow } = createReferences(root);
  const dialect = dialectOf(root);
  const isAlone = dialect === "draft-04" || dialect === "draft-06" || dialect === "draft-07";
  return {
    hasDefaults: subschemas.some(({ schema }) => schema.default !== undefined),
    kinds: new WeakMap(),
    // Dynamic references are followed as from the root, which is what they mean but for schemas in several parts.
    targetsOf: (schema) => REFERENCE_KEYWORDS.flatMap((keyword) => follow(schema, keyword)?.schema ?? []),
    counting: (schema) => (isAlone && typeof schema.$ref === "string" ? NOTHING : schema),
  };
}
