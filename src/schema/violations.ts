/** Turns what Ajv reports into one issue per field, in the words of the schema. */
import { isJsonObject, type JsonValue } from "../core/json.ts";
import { nearestName } from "../core/text.ts";
import type { Violation } from "./dialect.ts";
import { distinct } from "./publish/forms.ts";
import { allowedValues } from "./schema-text.ts";
import { pointerKeys } from "./schema-walk.ts";
import { expectation } from "./settled-schema.ts";
import { shortJson } from "./short-json.ts";
import type { FieldIssue } from "./validator.ts";
import { pathText } from "./value-path.ts";

/** Most known names told about an unknown one. */
const SHOWN_NAMES = 20;

/** One issue per field and expectation, in the order of the schema's check; `value` is what was checked, `root` the schema. */
export function describeViolations(violations: readonly Violation[], value: JsonValue, root: unknown): readonly FieldIssue[] {
  const issues = new Map<string, FieldIssue>();
  for (const violation of foldAlternatives(violations)) {
    const issue = describe(violation, value, root);
    const key = `${issue.path}\n${issue.kind}\n${issue.expected}`;
    if (!issues.has(key)) issues.set(key, issue);
  }
  return [...issues.values()];
}

/**
 * Of a failed `anyOf` or `oneOf` Ajv reports every branch. If the branches are told apart by the values of one field, that
 * field is told; else, if the value plainly takes after one branch, that branch's violations stay; else only the
 * alternative as a whole. What merely repeats others goes.
 */
function foldAlternatives(violations: readonly Violation[]): readonly Violation[] {
  const dropped = new Set<Violation>();
  const folded = [...violations];
  for (const [index, violation] of violations.entries()) {
    if (violation.keyword !== "anyOf" && violation.keyword !== "oneOf") continue;
    if (!Array.isArray(violation.schema)) continue;
    const earlier = folded.slice(0, index).filter((candidate) => !dropped.has(candidate));
    const branches = violation.schema.map((branch: unknown, number) => ofBranch(violation, branch, number, earlier));
    // Where several fit, what the others lack would only lead further away.
    const isOneTooMany = Array.isArray(violation.params.passingSchemas);
    const field = isOneTooMany ? undefined : tellingField(violation, branches);
    const near = branches.filter((branch) => branch.length > 0 && !branch.some((item) => isOtherForm(item, violation)));
    const chosen = !isOneTooMany && field === undefined && near.length === 1 ? near[0] : undefined;
    for (const item of branches.flat()) if (!chosen?.includes(item)) dropped.add(item);
    if (chosen !== undefined) dropped.add(violation);
    if (field !== undefined) folded[index] = field;
  }
  const rest = folded.filter((violation) => !dropped.has(violation) && violation.propertyName === undefined);
  const told = rest.filter((violation) => violation.keyword !== "if");
  return told.length > 0 ? told : rest;
}

/** One field for which every branch that the value could be of names values, none of them this one, as a violation of all these values together. */
function tellingField(parent: Violation, branches: readonly (readonly Violation[])[]): Violation | undefined {
  const isOtherType = ({ keyword, instancePath }: Violation): boolean => keyword === "type" && instancePath === parent.instancePath;
  const possible = branches.filter((branch) => !branch.some(isOtherType)).map((branch) => namedFields(branch, parent));
  const [first, ...others] = possible;
  if (first === undefined || others.length === 0) return undefined;
  for (const [key, { violation }] of first) {
    if (!others.every((fields) => fields.has(key))) continue;
    const schema = { enum: distinct(possible.flatMap((fields) => fields.get(key)?.values ?? [])) };
    const isMissing = violation.instancePath === parent.instancePath;
    const parentSchema = isMissing ? { properties: { [key]: schema } } : schema;
    return { ...violation, schemaPath: parent.schemaPath, schema: schema.enum, parentSchema };
  }
  return undefined;
}

interface NamedField {
  readonly violation: Violation;
  readonly values: readonly JsonValue[];
}

/** The fields for which a branch names values and that have another value, or are missing. */
function namedFields(branch: readonly Violation[], parent: Violation): ReadonlyMap<string, NamedField> {
  return new Map(
    branch.flatMap((violation): readonly (readonly [string, NamedField])[] => {
      const { keyword, instancePath, params, parentSchema } = violation;
      const isHere = instancePath === parent.instancePath;
      const missing = isHere ? textParam(params.missingProperty) : undefined;
      const isOtherValue = (keyword === "const" || keyword === "enum") && isDirectField(instancePath, parent);
      const key = missing ?? (isOtherValue ? pointerKeys(instancePath).at(-1) : undefined);
      const values = allowedValues(missing === undefined ? parentSchema : propertySchema(parentSchema, missing));
      return key === undefined || values === undefined ? [] : [[key, { violation, values }]];
    }),
  );
}

function ofBranch(parent: Violation, branch: unknown, number: number, earlier: readonly Violation[]): readonly Violation[] {
  const prefixes = [`${parent.schemaPath}/${number}/`];
  if (isJsonObject(branch) && typeof branch.$ref === "string") prefixes.push(`${branch.$ref}/`);
  return earlier.filter(
    ({ schemaPath, instancePath }) =>
      instancePath.startsWith(parent.instancePath) && prefixes.some((prefix) => schemaPath.startsWith(prefix)),
  );
}

/** True if the violation says that the value is of another form altogether: another type, or another kind by a constant field. */
function isOtherForm({ keyword, instancePath }: Violation, parent: Violation): boolean {
  if (instancePath === parent.instancePath) return keyword === "type" || keyword === "enum" || keyword === "const";
  return keyword === "const" && isDirectField(instancePath, parent);
}

function isDirectField(instancePath: string, parent: Violation): boolean {
  return pointerKeys(instancePath).length === pointerKeys(parent.instancePath).length + 1;
}

function describe(violation: Violation, value: JsonValue, root: unknown): FieldIssue {
  const { keyword, params, parentSchema } = violation;
  const path = pathOf(violation.instancePath, value);
  const missing = textParam(params.missingProperty);
  if (missing !== undefined) {
    const because = textParam(params.property);
    const expected = expectation(propertySchema(parentSchema, missing), root);
    const given = because === undefined ? meantKey(violation, missing) : undefined;
    const reason = because === undefined ? "" : `, because "${because}" is given`;
    return {
      path: pathText([...path, missing]),
      kind: "missing",
      expected: expected + reason,
      found: "nothing",
      ...(given === undefined ? {} : { given }),
      ...allowed(propertySchema(parentSchema, missing)),
    };
  }
  const unknown = textParam(params.additionalProperty) ?? textParam(params.unevaluatedProperty);
  if (unknown !== undefined) {
    const known = isJsonObject(parentSchema) && isJsonObject(parentSchema.properties) ? Object.keys(parentSchema.properties) : [];
    const taken = isJsonObject(violation.data) ? new Set(Object.keys(violation.data)) : new Set<string>();
    // A key that is given already cannot be what the unknown one was meant to be.
    const open = known.filter((name) => !taken.has(name));
    const suggestion = open.find((name) => isSameText(name, unknown)) ?? nearestName(unknown, open);
    return {
      path: pathText([...path, unknown]),
      kind: "unknown",
      expected: "no such key",
      found: shortJson(fieldOf(violation.data, unknown)),
      ...(suggestion !== undefined ? { suggestion } : open.length > 0 ? { known: open.slice(0, SHOWN_NAMES) } : {}),
    };
  }
  const found = keyword === "propertyNames" ? shortJson(params.propertyName) : shortJson(violation.data);
  const twin = allowedTwin(violation);
  return {
    path: pathText(path),
    kind: "value",
    expected: expectedBy(violation, root),
    found: twin === undefined ? found : `${found}, which looks like ${shortJson(twin)} but is written with other Unicode characters`,
    ...allowed(parentSchema),
  };
}

function expectedBy({ keyword, params, parentSchema, schema, message }: Violation, root: unknown): string {
  switch (keyword) {
    case "propertyNames":
      return `keys that are ${expectation(schema, root)}`;
    case "not":
      return `anything but ${expectation(schema, root)}`;
    case "anyOf":
    case "oneOf":
      return Array.isArray(params.passingSchemas)
        ? `exactly one of ${expectation(parentSchema, root)}`
        : expectation({ [keyword]: asSchemas(schema) }, root);
    case "contains":
      return `an array in which at least ${numberParam(params.minContains, 1)} ${params.minContains === 1 ? "is" : "are"} ${expectation(schema, root)}`;
    case "additionalItems":
    case "items":
    case "unevaluatedItems":
      // As Ajv tells it, a list that is longer than its tuple.
      return typeof (params.limit ?? params.len) === "number"
        ? expectation({ type: "array", maxItems: numberParam(params.limit ?? params.len, 0) }, root)
        : expectation(parentSchema, root);
    case "false schema":
      return "nothing here";
    default: {
      const text = expectation(parentSchema, root);
      return text === "any value" ? message.replace(/^must /, "") : text;
    }
  }
}

function numberParam(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** A key that is given and not known, where the missing one is probably meant. Where unknown keys are refused, each has an issue of its own. */
function meantKey({ data, parentSchema }: Violation, missing: string): string | undefined {
  if (!isJsonObject(data) || !isJsonObject(parentSchema)) return undefined;
  const { properties, additionalProperties, unevaluatedProperties } = parentSchema;
  if (additionalProperties === false || unevaluatedProperties === false) return undefined;
  const known = isJsonObject(properties) ? properties : {};
  // To a name of two letters any other is near.
  const unknown = missing.length > 2 ? Object.keys(data).filter((key) => !Object.hasOwn(known, key)) : [];
  return unknown.find((key) => isSameText(key, missing)) ?? nearestName(missing, unknown);
}

/** Longest text that is looked at for its Unicode form, in UTF-16 units. */
const MAX_NORMALISED_CHARACTERS = 1_000;

/** True for two texts that look the same and are not: letters with marks are one character (NFC) or two (NFD). */
function isSameText(a: string, b: string): boolean {
  if (a === b || Math.max(a.length, b.length) > MAX_NORMALISED_CHARACTERS) return false;
  return a.normalize("NFC") === b.normalize("NFC");
}

/** The allowed value that the given one looks like. */
function allowedTwin({ data, parentSchema }: Violation): string | undefined {
  if (typeof data !== "string" || !isJsonObject(parentSchema)) return undefined;
  const values = Array.isArray(parentSchema.enum) ? parentSchema.enum : [parentSchema.const];
  return values.find((value): value is string => typeof value === "string" && isSameText(value, data));
}

function asSchemas(schema: unknown): readonly JsonValue[] {
  return Array.isArray(schema) ? schema : [];
}

function allowed(schema: unknown): { readonly allowed?: readonly JsonValue[] } {
  const values = allowedValues(schema);
  return values === undefined ? {} : { allowed: values };
}

function propertySchema(parentSchema: unknown, name: string): JsonValue | undefined {
  if (!isJsonObject(parentSchema)) return undefined;
  return fieldOf(parentSchema.properties, name);
}

function fieldOf(value: unknown, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function textParam(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The parts of a JSON pointer, with numbers where the value has an array. */
function pathOf(pointer: string, value: JsonValue): readonly (string | number)[] {
  const path: (string | number)[] = [];
  let current: JsonValue | undefined = value;
  for (const key of pointerKeys(pointer)) {
    if (Array.isArray(current)) {
      path.push(Number(key));
      current = current[Number(key)];
    } else {
      path.push(key);
      current = fieldOf(current, key);
    }
  }
  return path;
}
