import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import { type Problem, problemData, problemText } from "../core/problem.ts";

/**
 * The error of a prompt or resource that was set aside: not one that does not exist, since a person looks for a name they
 * misspelled then, and not where the fault is. `what`: the subject of the sentence.
 */
export function setAsideError(what: string, problem: Problem, data: JsonObject = {}): ProtocolError {
  const message = `${what} is set aside: ${problemText(problem)} Mend it and ask again; no restart is needed.`;
  return new ProtocolError(ProtocolErrorCode.InternalError, message, { ...data, problem: problemData(problem) });
}
