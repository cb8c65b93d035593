/** References inside a schema: only local ones, only to what is there, and none that leads back to itself without end. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { inPlaceChildren, pointerPart, pointerTarget, REFERENCE_KEYWORDS, type Subschema } from "./schema-walk.ts";

/** A reference that cannot be used. */
export interface BadReference {
  readonly pointer: string;
  /** The reference as written. */
  readonly reference: string;
  readonly reason: "not-local" | "missing" | "endless";
}

/** The bad references among the subschemas of one schema. */
export function findBadReferences(subschemas: readonly Subschema[]): readonly BadReference[] {
  const anchors = anchorsOf(subschemas);
  const bad: BadReference[] = [];
  const targets = new Map<JsonObject, JsonObject[]>();
  for (const { pointer, schema, resource } of subschemas) {
    for (const keyword of REFERENCE_KEYWORDS) {
      const reference = schema[keyword];
      if (typeof reference !== "string") continue;
      const place = pointer + pointerPart(keyword);
      if (!reference.startsWith("#")) {
        bad.push({ pointer: place, reference, reason: "not-local" });
        continue;
      }
      const target = resolve(reference, resource, anchors);
      if (target === undefined || (!isJsonObject(target) && typeof target !== "boolean")) {
        bad.push({ pointer: place, reference, reason: "missing" });
      } else if (isJsonObject(target)) {
        targets.set(schema, [...(targets.get(schema) ?? []), target]);
      }
    }
  }
  return bad.length > 0 ? bad : endlessReferences(subschemas, targets);
}

function resolve(reference: string, resource: JsonObject, anchors: ReadonlyMap<string, JsonObject>): JsonValue | undefined {
  if (reference === "#") return resource;
  return reference.startsWith("#/") ? pointerTarget(resource, reference) : anchors.get(reference.slice(1));
}

function anchorsOf(subschemas: readonly Subschema[]): ReadonlyMap<string, JsonObject> {
  const anchors = new Map<string, JsonObject>();
  for (const { schema } of subschemas) {
    for (const name of [schema.$anchor, schema.$dynamicAnchor]) {
      if (typeof name === "string") anchors.set(name, schema);
    }
    // Up to draft-07 an anchor is an identifier that starts with "#".
    for (const id of [schema.$id, schema.id]) {
      if (typeof id === "string" && id.startsWith("#")) anchors.set(id.slice(1), schema);
    }
  }
  return anchors;
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
