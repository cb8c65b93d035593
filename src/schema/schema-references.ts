/** References inside a schema: only to what is there, and none that leads back to itself without end. */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { createReferences } from "./references.ts";
import { inPlaceChildren, pointerPart, REFERENCE_KEYWORDS, type Subschema } from "./schema-walk.ts";

/** A reference that cannot be used. */
export interface BadReference {
  readonly pointer: string;
  /** The reference as written. */
  readonly reference: string;
  readonly reason: "not-local" | "missing" | "endless";
}

/** The bad references of a schema; `subschemas` are all those inside. */
export function findBadReferences(root: JsonObject, subschemas: readonly Subschema[]): readonly BadReference[] {
  if (!subschemas.some(({ schema }) => REFERENCE_KEYWORDS.some((keyword) => typeof schema[keyword] === "string"))) return [];
  const { follow } = createReferences(root, subschemas);
  const bad: BadReference[] = [];
  const targets = new Map<JsonObject, JsonObject[]>();
  for (const { pointer, schema } of subschemas) {
    for (const keyword of REFERENCE_KEYWORDS) {
      const reference = schema[keyword];
      if (typeof reference !== "string") continue;
      const target = follow(schema, keyword)?.schema;
      if (target === undefined) {
        bad.push({ pointer: pointer + pointerPart(keyword), reference, reason: reference.startsWith("#") ? "missing" : "not-local" });
      } else if (isJsonObject(target)) {
        targets.set(schema, [...(targets.get(schema) ?? []), target]);
      }
    }
  }
  return bad.length > 0 ? bad : endlessReferences(subschemas, targets);
}
/** A chain of schemas that all judge the same value and comes back to its start would recurse until the stack ends. */
function endlessReferences(
  subschemas: readonly Subschema[],
  targets: ReadonlyMap<JsonObject, readonly JsonObject[]>,
): readonly BadReference[] {
  const done = new Set<JsonObject>();
  for (const start of subschemas) {
    const open = new Set<JsonObject>();
    const stack: { readonly schema: JsonObject; readonly leave: boolean }[] = [{ schema: start.schema, leave: false }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { schema, leave } = next;
      if (leave) {
        open.delete(schema);
        done.add(schema);
        continue;
      }
      if (open.has(schema)) return [endless(start, schema, subschemas)];
      if (done.has(schema)) continue;
      open.add(schema);
      stack.push({ schema, leave: true });
      const following = [...inPlaceChildren(schema).filter(isJsonObject), ...(targets.get(schema) ?? [])];
      for (const child of following) stack.push({ schema: child, leave: false });
    }
  }
  return [];
}

function endless(start: Subschema, schema: JsonObject, subschemas: readonly Subschema[]): BadReference {
  const place = subschemas.find((candidate) => candidate.schema === schema) ?? start;
  const reference = REFERENCE_KEYWORDS.map((keyword) => place.schema[keyword]).find((value) => typeof value === "string");
  return { pointer: place.pointer, reference: typeof reference === "string" ? reference : "#", reason: "endless" };
}
