import { ToolError } from "../core/errors.ts";
import { isJsonObject, type JsonObject, kindText } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { ArgumentRepair, Tool } from "../core/tool.ts";
import { argumentsMessage } from "../schema/arguments-message.ts";
import type { ValidatorCache } from "./validators.ts";

/** Most repairs told of one call: a list of ten thousand numbers as text must not make ten thousand lines. */
const TOLD_REPAIRS = 50;

/** Arguments as the tool gets them, and what of them was read otherwise than written, the first 50. */
export interface CallArguments {
  readonly args: JsonObject;
  readonly repaired: readonly ArgumentRepair[];
}

/** The third step of a call: repair, defaults, check. Throws `ToolError` INVALID_ARGUMENTS, and TOOL_BROKEN for a schema that does not compile. */
export function readCallArguments(validators: ValidatorCache, tool: Tool, given: unknown): CallArguments {
  const { name, parameters, limits, repair = true } = tool.definition;
  const maxBytes = limits?.argumentsBytes ?? LIMITS.argumentsBytes.default;
  const args = given ?? {};
  if (!isJsonObject(args)) {
    throw new ToolError("INVALID_ARGUMENTS", `Arguments of ${name} must be a JSON object; found ${kindText(args)}.`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(args));
  if (bytes > maxBytes) {
    throw new ToolError(
      "INVALID_ARGUMENTS",
      `Arguments of ${name} are ${bytes} bytes; the limit is ${maxBytes} ("argumentsBytes"). Send less, or pass a reference to the data.`,
    );
  }
  const read = validators.arguments(parameters).read(tool.repair?.(args) ?? args, { repair });
  const repaired = read.repaired.slice(0, TOLD_REPAIRS).map((one) => ({ ...one }));
  if (read.ok) return { args: read.value, repaired };
  const data = { issues: read.issues.map((issue) => ({ ...issue })), parameters, ...(repaired.length === 0 ? {} : { repaired }) };
  throw new ToolError("INVALID_ARGUMENTS", argumentsMessage(name, read), { data });
}
