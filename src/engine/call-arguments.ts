import { ToolError } from "../core/errors.ts";
import { isJsonObject, type JsonObject, kindText } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { ArgumentRepair, Caller, Tool } from "../core/tool.ts";
import { argumentsMessage } from "../schema/arguments-message.ts";
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
  const args = given ?? {};
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
  const repaired = read.repaired.slice(0, TOLD_REPAIRS).map((one) => ({ ...one }));
  if (read.ok) return { kind: "read", args: read.value, repaired };
  const message = argumentsMessage(name, read);
  const part = schemaPart(
    parameters,
    read.issues.map(({ path }) => path),
  );
  const data = { issues: issuesData(read.issues), ...(part.kind === "none" ? {} : { parameters: part.schema }) };
  return refused(part.kind === "whole" ? message : `${message}\n${wholeSchemaText(name, caller)}`, { data, repaired });
}

function refused(
  message: string,
  { data = {}, repaired = [] }: { readonly data?: JsonObject; readonly repaired?: readonly ArgumentRepair[] } = {},
): CallArguments {
  return { kind: "refused", error: new ToolError("INVALID_ARGUMENTS", message, { data }), repaired };
}
