import { ToolError } from "../core/errors.ts";
import { unknownKeys } from "../core/ignored-arguments.ts";
import { isJsonObject, type JsonObject, kindText } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { ArgumentRepair, Caller, Tool } from "../core/tool.ts";
import { argumentsMessage } from "../schema/arguments-message.ts";
import type { FieldIssue } from "../schema/validator.ts";
import { issuesData, schemaPart, wholeSchemaText } from "./schema-part.ts";
import type { ValidatorCache } from "./validators.ts";

/** Most repairs told of one call: a list of ten thousand numbers as text must not make ten thousand lines. */
const TOLD_REPAIRS = 50;

/** Arguments as the tool gets them, or INVALID_ARGUMENTS; `repaired` is what of them was read otherwise than written, the first 50. */
export type CallArguments =
  | { readonly kind: "read"; readonly args: JsonObject; readonly repaired: readonly ArgumentRepair[] }
  | { readonly kind: "refused"; readonly error: ToolError; readonly repaired: readonly ArgumentRepair[] };

/** The third step of a call: repair, defaults, check. Throws `ToolError` TOOL_BROKEN for a schema that does not compile. */
export function readCallArguments(validators: ValidatorCache, tool: Tool, given: unknown, caller: Caller): CallArguments {
  const { name, parameters, limits, repair = true } = tool.definition;
  const maxBytes = limits?.argumentsBytes ?? LIMITS.argumentsBytes.default;
  const args = objectOf(given, { repair, maxBytes });
  if (!isJsonObject(args)) {
    return refused(`Arguments of ${name} must be a JSON object; found ${kindText(args)}.`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(args));
  if (bytes > maxBytes) {
    return refused(
      `Arguments of ${name} are ${bytes} bytes; the limit is ${maxBytes} ("argumentsBytes"). Send less, or pass a reference to the data.`,
    );
  }
  const read = validators.arguments(parameters).read(tool.repair?.(args) ?? args, { repair });
  const whole: readonly ArgumentRepair[] = typeof given === "string" ? [{ path: "", from: "string", to: "object" }] : [];
  const all = [...whole, ...read.repaired];
  const repaired = all.slice(0, TOLD_REPAIRS).map((one) => ({ ...one }));
  if (read.ok) return { kind: "read", args: read.value, repaired };
  const stray = strayKeysLine(Object.keys(args), { parameters, issues: read.issues, validators });
  const message = argumentsMessage(name, { issues: read.issues, repaired: all }) + stray;
  const part = schemaPart(
    parameters,
    read.issues.map(({ path }) => path),
  );
  const data = { issues: issuesData(read.issues), ...(part.kind === "none" ? {} : { parameters: part.schema }) };
  return refused(part.kind === "whole" ? message : `${message}\n${wholeSchemaText(name, caller)}`, { data, repaired });
}

/** What was given as an object: nothing is an empty one, and the JSON text of one is that one. */
function objectOf(given: unknown, { repair, maxBytes }: { readonly repair: boolean; readonly maxBytes: number }): unknown {
  if (typeof given !== "string") return given ?? {};
  // Longer text is over the limit of arguments with whatever stands in it.
  if (!repair || given.length > maxBytes) return given;
  try {
    return JSON.parse(given);
  } catch {
    return given; // The refusal says that it is text.
  }
}

/** Keywords at the root by which keys that are not among the `properties` may have a meaning, or are told as faults of their own. */
const OTHER_KEYS = ["additionalProperties", "patternProperties", "unevaluatedProperties", "$ref", "allOf", "anyOf", "oneOf", "if"];

/**
 * A required key that is missing is often there under another name. The schema allows any others, so they are no fault;
 * but whoever wrote `toolName` for `name` has to read of it.
 */
function strayKeysLine(
  given: readonly string[],
  of: { readonly parameters: JsonObject; readonly issues: readonly FieldIssue[]; readonly validators: ValidatorCache },
): string {
  const { parameters, issues, validators } = of;
  const missing = issues.filter(({ kind }) => kind === "missing");
  if (missing.length === 0 || OTHER_KEYS.some((keyword) => Object.hasOwn(parameters, keyword))) return "";
  const { published } = validators.published({ parameters }).parameters;
  const known = [parameters, published].flatMap(({ properties }) => (isJsonObject(properties) ? Object.keys(properties) : []));
  const told = missing.flatMap((issue) => issue.given ?? []);
  const stray = unknownKeys(
    given.filter((key) => !told.includes(key)),
    known,
  );
  return stray === undefined ? "" : `\nNot among its parameters: ${stray}.`;
}

function refused(
  message: string,
  { data = {}, repaired = [] }: { readonly data?: JsonObject; readonly repaired?: readonly ArgumentRepair[] } = {},
): CallArguments {
  return { kind: "refused", error: new ToolError("INVALID_ARGUMENTS", message, { data }), repaired };
}
