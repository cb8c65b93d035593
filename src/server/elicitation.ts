/** Questions of scripts in the words of MCP, for both protocol generations. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ElicitRequestFormParams,
  isSpecType,
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { ToolError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { Answer, Ask, Question } from "../core/question.ts";
import { cutText } from "../core/text.ts";
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

/**
 * The error of a call of 2026-07-28 that failed because its script asks a person and the client declared with the request that it
 * shows no forms. A server MUST answer so (MCP 2026-07-28, basic, client capabilities; SEP-2575), and its data is what
 * a client can act on: what to declare when it calls again.
 */
export function cannotAskError(name: string): MissingRequiredClientCapabilityError {
  const message = `${name} asks a person, and this client does not declare that it can show forms: "elicitation": { "form": {} } in io.modelcontextprotocol/clientCapabilities. Call again with it, or call a tool that asks nobody.`;
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { elicitation: { form: {} } } }, message);
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
  // Clients with zod 3.25 or 4.0 take an object with this key at its top for an instance of a class (zod issue 5066).
  if (isJsonObject(schema.properties) && Object.hasOwn(schema.properties, "constructor")) {
    const text =
      'The form has the field "constructor", and clients refuse such a form. Name the field otherwise, and give the name as its "title".';
    throw new ToolError("INVALID_REQUEST", text);
  }
  const params: unknown = { mode: "form", message, requestedSchema: schema };
  if (isSpecType.ElicitRequestFormParams(params)) return params;
  const fields = Object.entries(isJsonObject(schema.properties) ? schema.properties : {});
  const wrong = fields.find(([key, field]) => {
    const requestedSchema = { type: "object", properties: { [key]: field } };
    return !isSpecType.ElicitRequestFormParams({ mode: "form", message, requestedSchema });
  });
  const what = wrong === undefined ? "is none" : `has the field "${cutText(wrong[0], 60)}"`;
  throw new ToolError(
    "INVALID_REQUEST",
    `The form ${what} that clients know (MCP, elicitation: one level of text, numbers, yes or no, choices).`,
  );
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
