/** Questions of scripts in the words of MCP, for both protocol generations. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ElicitRequestFormParams,
  isSpecType,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { ToolError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { Answer, Ask, Question } from "../core/question.ts";
import type { Era } from "./call-result.ts";

/** Longer than any question may take by `questionMs`, whose limit decides. */
const REQUEST_TIMEOUT_MS = 600_000;

/** True if the client shows forms to its user: declared at the handshake, or with each request of 2026-07-28. */
export function canElicit(server: Server, { mcpReq }: ServerContext, era: Era): boolean {
  const declared: unknown =
    era === "modern" ? Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY) : server.getClientCapabilities();
  const elicitation = isJsonObject(declared) ? declared.elicitation : undefined;
  // Without a mode it means forms, as before there were modes (2025-11-25, elicitation, capabilities).
  return isJsonObject(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Asks by a request to the client inside of the call, as clients up to 2025-11-25 know it. */
export function askByRequest({ mcpReq }: ServerContext): Ask {
  return async (question, signal) => {
    // On the stream of the call itself: a client over HTTP need not have another one open, and its person would never be asked.
    const options = { signal, timeout: REQUEST_TIMEOUT_MS, relatedRequestId: mcpReq.id };
    try {
      const answer = parseAnswer(await mcpReq.elicitInput(formOf(question), options));
      if (answer !== undefined) return answer;
    } catch (error) {
      if (signal.aborted || error instanceof ToolError) throw error;
      throw cannotAsk(error);
    }
    throw new ToolError("UNAVAILABLE", "The client answered the question with something that is no answer.");
  };
}

/** The question as clients get it. */
export function formOf({ message, schema }: Question): ElicitRequestFormParams {
  const params: unknown = { mode: "form", message, requestedSchema: schema };
  if (isSpecType.ElicitRequestFormParams(params)) return params;
  throw new ToolError("INVALID_REQUEST", "The form has a field that clients do not know.");
}

/** What a client sent as answer; undefined for anything else. */
export function parseAnswer(response: unknown): Answer | undefined {
  if (!isJsonObject(response)) return undefined;
  const { action, content = {} } = response;
  if (action === "decline" || action === "cancel") return { action };
  return action === "accept" && isJsonObject(content) ? { action, content } : undefined;
}

function cannotAsk(cause: unknown): ToolError {
  return new ToolError("UNAVAILABLE", "The client could not ask the question, or answered with something the form does not allow.", {
    cause,
  });
}
