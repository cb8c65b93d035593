/** Turns what Ajv reports into one issue per field, in the words of the schema. */
import { isJsonObject, type JsonValue } from "../core/json.ts";
import type { Violation } from "./dialect.ts";
import { allowedTwin, meantGivenKey, meantKnownKey } from "./meant-names.ts";
import { distinct } from "./publish/forms.ts";
import { allowedValues, oneAfterOther } from "./schema-text.ts";
import { pointerKeys } from "./schema-walk.ts";
import { alternativeExpectation, expectation } from "./settled-schema.ts";
import { shortJson } from "./short-json.ts";
import type { FieldIssue } from "./validator.ts";
import { pathText } from "./value-path.ts";

/** Most known names told about an unknown one. */
const SHOWN_NAMES = 20;

/** Most alternatives of which it is told what each lacks, and most faults told of each. */
const SHOWN_BRANCHES = 6;
const SHOWN_FAULTS = 3;

/** An alternative that is told as a whole keeps what each branch found. */
interface Folded extends Violation {
  readonly branches?: readonly (readonly Violation[])[];
}

/** One issue per field and expectation, in the order of the schema's check; `value` is what was checked, `root` the schema. */
export function describeViolations(violations: readonly Violation[], value: JsonValue, root: unknown): readonly FieldIssue[] {
  const issues = new Map<string, FieldIssue>();
  for (const violation of foldAlternatives(violations)) {
    const issue = withAlternatives(describe(violation, value, root), violation, value, root);
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
function foldAlternatives(violations: readonly Violation[]): readonly Folded[] {
  const dropped = new Set<Violation>();
  const folded: Folded[] = [...violations];
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
    else if (chosen === undefined && !isOneTooMany) folded[index] = { ...violation, branches };
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
    const given = because === undefined ? meantGivenKey(violation, missing) : undefined;
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
    const { suggestion, open } = meantKnownKey(violation, unknown);
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

/** Where nothing of what is given fits any alternative, each is told with what it lacks: `an object with "id" (missing "id") or …`. */
function withAlternatives(issue: FieldIssue, violation: Folded, value: JsonValue, root: unknown): FieldIssue {
  const { branches = [], schema, instancePath } = violation;
  const schemas = asSchemas(schema);
  const texts = schemas.slice(0, SHOWN_BRANCHES).map((branch, number) => {
    const inside = branches[number] ?? [];
    const missing = inside.filter((item) => item.instancePath === instancePath).map(({ params }) => textParam(params.missingProperty));
    const faults = inside
      .filter((item) => item.instancePath !== instancePath || isUnknownKey(item))
      .map((item) => describe(item, value, root));
    return {
      expected: alternativeExpectation(branch, root),
      lacks: lacksText(
        missing.filter((key) => key !== undefined),
        faults,
      ),
    };
  });
  if (texts.every(({ lacks }) => lacks === "")) return issue;
  const others = schemas.length - texts.length;
  const told = new Set(texts.map(({ expected, lacks }) => (lacks === "" ? expected : `${expected} (${lacks})`)));
  return { ...issue, expected: [...told, ...(others > 0 ? [`one of ${others} more`] : [])].join(" or ") };
}

function isUnknownKey({ params }: Violation): boolean {
  return textParam(params.additionalProperty) !== undefined || textParam(params.unevaluatedProperty) !== undefined;
}

function lacksText(missing: readonly string[], faults: readonly FieldIssue[]): string {
  const texts = faults.map(({ path, kind, expected, found }) => {
    if (kind === "value") return `${path} is ${found} instead of ${expected}`;
    return kind === "missing" ? `${path} is missing` : `${path} is not a parameter of it`;
  });
  const all = [...(missing.length === 0 ? [] : [`missing ${oneAfterOther([...new Set(missing)])}`]), ...new Set(texts)];
  const more = all.length - SHOWN_FAULTS;
  return [...all.slice(0, SHOWN_FAULTS), ...(more > 0 ? [`${more} more`] : [])].join(", ");
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
