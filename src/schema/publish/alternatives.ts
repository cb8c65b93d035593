/** One flat object schema that takes whatever one of several flat ones takes. */
import { isJsonObject, type JsonValue } from "../../core/json.ts";
import {
  annotationsOf,
  asObject,
  canonicalText,
  distinct,
  isOpen,
  listAt,
  mapAt,
  type PlainSchema,
  textsAt,
  withoutAnnotations,
} from "./forms.ts";

/** The union. Annotations of the alternatives are theirs, so they go; those of their properties stay. */
export function unionOf(branches: readonly PlainSchema[]): PlainSchema {
  const possible = branches.filter(isObjectBranch);
  const [only] = possible;
  if (only === undefined) return {};
  if (possible.length === 1) return withoutAnnotations(only);
  const keys = new Set(possible.flatMap((branch) => Object.keys(mapAt(branch, "properties"))));
  const properties = Object.fromEntries([...keys].map((key) => [key, unionAt(key, possible)]));
  const required = possible.map((branch) => textsAt(branch, "required")).reduce((all, some) => all.filter((key) => some.includes(key)));
  const isClosed = possible.every((branch) => branch.additionalProperties === false && branch.patternProperties === undefined);
  return {
    ...(keys.size > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(isClosed ? { additionalProperties: false } : {}),
  };
}

/** False for an alternative that no object fits: arguments are one. */
export function isObjectBranch(branch: PlainSchema): boolean {
  const { type } = branch;
  if (branch.not !== undefined && isOpen(branch.not)) return false;
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
}

function unionAt(key: string, branches: readonly PlainSchema[]): JsonValue {
  const schemas = distinct(branches.flatMap((branch) => schemasFor(key, branch)).map(asObject));
  const told = schemas.filter((schema) => !isOpen(schema));
  const [first] = told;
  if (first === undefined) return schemas[0] ?? {};
  if (schemas.length === 1) return first;
  return sameButValues(schemas) ?? { ...sharedAnnotations(told), anyOf: [...told, ...(told.length < schemas.length ? [{}] : [])] };
}

/** What a branch says about a key; nothing if it refuses the key. */
function schemasFor(key: string, branch: PlainSchema): readonly JsonValue[] {
  const properties = mapAt(branch, "properties");
  if (Object.hasOwn(properties, key)) return [properties[key] ?? true];
  if (branch.patternProperties !== undefined) return [true];
  return branch.additionalProperties === false ? [] : [branch.additionalProperties ?? true];
}

/** Schemas that name values and are the same otherwise, as one that names all of them: the usual way to tell kinds apart. */
function sameButValues(schemas: readonly JsonValue[]): PlainSchema | undefined {
  const parts = schemas.filter(isJsonObject).map((schema) => {
    const { const: single, enum: _enum, ...rest } = withoutAnnotations(schema);
    const values = single === undefined ? listAt(schema, "enum") : [single];
    return { values, rest, annotations: annotationsOf(schema) };
  });
  const [first] = parts;
  if (first === undefined || parts.length < schemas.length) return undefined;
  const isSame = parts.every(({ values, rest }) => values.length > 0 && canonicalText(rest) === canonicalText(first.rest));
  if (!isSame) return undefined;
  return { ...sharedAnnotations(schemas), ...first.rest, enum: distinct(parts.flatMap(({ values }) => values)) };
}

/** Annotations that every schema has in common. */
function sharedAnnotations(schemas: readonly JsonValue[]): PlainSchema {
  const all = schemas.filter(isJsonObject).map(annotationsOf);
  const [first = {}] = all;
  return Object.fromEntries(
    Object.entries(first).filter(([keyword, value]) =>
      all.every((one) => one[keyword] !== undefined && canonicalText(one[keyword]) === canonicalText(value)),
    ),
  );
}
