import { ToolError, toCallerError } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { Caller, CallResult, PageRange, ResultPage, Tool, ToolDefinition, ToolOutcome } from "../core/tool.ts";
import type { ReadHint } from "../results/hints.ts";
import type { ResultStore } from "../results/result-store.ts";
import { issueLines } from "../schema/arguments-message.ts";
import { issuesData } from "./schema-part.ts";
import { type ResultShaping, shapeFailureBlocks, shapeResult } from "./shape.ts";
import type { ValidatorCache } from "./validators.ts";

/** What the last steps of a call need of its line. */
export interface FinishParts {
  readonly validators: ValidatorCache;
  readonly log: Log;
  readonly results: ResultStore | undefined;
  /** Longest result of an agent's calls, in UTF-16 units, where it has a limit of its own. */
  readonly agentCharacters: (agent: string) => number | undefined;
}

/** The call that ends. */
export interface FinishedCall {
  readonly callId: string;
  readonly tool: Tool;
  readonly caller: Caller;
  readonly hint: ReadHint;
}

/** Characters of the line that says where a page stands; a page and this line are a result within its limit. */
const PAGE_LINE_CHARACTERS = 200;

/** Checks a tool's outcome against its `output` schema and shapes it. Throws what the tool failed with, OUTPUT_MISMATCH and RESULT_TOO_LARGE. */
export async function finishCall(
  parts: FinishParts,
  { callId, tool, caller, hint }: FinishedCall,
  outcome: Exclude<ToolOutcome, { kind: "delegated" }>,
): Promise<CallResult> {
  const { definition } = tool;
  const { log, results } = parts;
  const shaping: ResultShaping = {
    callId,
    tool: definition,
    caller,
    hint,
    log,
    results,
    maxCharacters: budgetOf(parts, caller, definition),
  };
  switch (outcome.kind) {
    case "value":
      checkOutput(parts, definition, outcome.value);
      return await shapeResult({ value: outcome.value }, shaping);
    case "content":
      checkOutput(parts, definition, outcome.value);
      return await shapeResult(outcome, shaping);
    case "error": {
      const { error, blocks = [] } = outcome;
      if (blocks.length === 0) throw error;
      const told = toCallerError(error, callId, audienceOf(caller));
      return { kind: "error", callId, ...told, blocks: await shapeFailureBlocks(blocks, told.message, shaping) };
    }
  }
}

/** Whoever calls by the command line runs toolyard: a call there leaves no log, so the answer is where the reason can be read. */
export function audienceOf({ origin }: Caller): ToolError["audience"] {
  return origin === "cli" ? "operator" : "caller";
}

/** A page of a kept result that fits into a result of this caller. Throws `ToolError` RESULT_NOT_FOUND. */
export async function readPage(parts: FinishParts, caller: Caller, id: string, { offset = 0, limit }: PageRange): Promise<ResultPage> {
  const room = Math.max(1, budgetOf(parts, caller, undefined) - PAGE_LINE_CHARACTERS);
  const range = { offset, limit: limit === undefined ? room : Math.min(limit, room) };
  if (parts.results === undefined) throw new ToolError("UNAVAILABLE", "This server keeps no results.");
  return await parts.results.read(caller.agent, id, range);
}

/** The smaller of the tool's and the agent's limit. */
function budgetOf({ agentCharacters }: FinishParts, { agent }: Caller, tool: ToolDefinition | undefined): number {
  const own = tool?.limits?.resultCharacters ?? LIMITS.resultCharacters.default;
  return Math.min(own, agentCharacters(agent) ?? own);
}

function checkOutput({ validators }: FinishParts, { name, output }: ToolDefinition, value: JsonValue | undefined): void {
  if (output === undefined) return;
  if (value === undefined) {
    throw new ToolError(
      "OUTPUT_MISMATCH",
      `${name} has an "output" schema but returned blocks without a value. Give it as the second argument: g.result.content(blocks, value).`,
    );
  }
  const checked = validators.output(output).validate(value);
  if (checked.ok) return;
  const lines = issueLines(checked.issues, "the result");
  throw new ToolError(
    "OUTPUT_MISMATCH",
    `${name} returned what its "output" schema does not allow:\n${lines.join("\n")}\nFix the script or the schema.`,
    { data: { issues: issuesData(checked.issues) } },
  );
}
