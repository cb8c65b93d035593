/** `prompts/list` and `prompts/get`. A required argument that is missing is asked for where the client can ask its user. */
import {
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import type { OfferSource, PromptArgument } from "../core/offers.ts";
import type { Question } from "../core/question.ts";
import { nearestName, shownName } from "../core/text.ts";
import type { Era } from "./call-result.ts";
import { contentFor } from "./content-for.ts";
import { askByRequest, canElicit, formOf, parseAnswer } from "./elicitation.ts";
import { setAsideError } from "./set-aside.ts";

/** One request for a prompt. */
export interface PromptRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  readonly context: ServerContext;
  readonly server: Server;
  readonly era: Era;
  readonly version: string;
}

/** Name of the one question a prompt asks. */
const QUESTION_KEY = "arguments";

/** The prompts as clients list them. */
export function listPrompts(offers: OfferSource): ListPromptsResult {
  return {
    prompts: offers.prompts().map(({ arguments: args, ...prompt }) => ({
      ...prompt,
      // `values` are for completion; clients know no such key here.
      arguments: args.map(({ name, description, required }) => ({ name, required, ...(description === undefined ? {} : { description }) })),
    })),
  };
}

/** The messages, or toward 2026-07-28 clients the question for what is missing. Throws `ProtocolError` invalid params. */
export async function getPrompt(offers: OfferSource, request: PromptRequest): Promise<GetPromptResult | InputRequiredResult> {
  const { name, context, era, version } = request;
  refuseUnknownArguments(offers, name, Object.keys(request.args));
  const given = { ...request.args, ...answeredArguments(context) };
  let outcome = offers.prompt(name, given);
  if (outcome.kind === "incomplete" && canElicit(request.server, context, era)) {
    const question = questionFor(name, outcome.missing);
    if (era === "modern") return inputRequired({ inputRequests: { [QUESTION_KEY]: inputRequired.elicit(formOf(question)) } });
    const answer = await askByRequest(context)(question, context.mcpReq.signal);
    if (answer.action === "accept") outcome = offers.prompt(name, { ...given, ...textsOf(answer.content) });
  }
  switch (outcome.kind) {
    case "messages": {
      const { description, messages } = outcome;
      const written = messages.flatMap(({ role, content }) => contentFor([content], version).map((block) => ({ role, content: block })));
      return { description, messages: written };
    }
    case "incomplete": {
      const names = outcome.missing.map((argument) => argument.name).join(", ");
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt "${name}" needs ${names}.`);
    }
    case "failed":
      throw new ProtocolError(ProtocolErrorCode.InternalError, outcome.message);
    case "broken":
      throw setAsideError(`The prompt "${name}"`, outcome.problem);
    case "unknown":
      throw noPromptError(offers, name);
  }
}

/** The error for the name of no prompt, with the nearest one. */
export function noPromptError(offers: OfferSource, name: string): ProtocolError {
  const near = nearestName(
    name,
    offers.prompts().map((prompt) => prompt.name),
  );
  const next = near === undefined ? "prompts/list gives those there are." : `Did you mean "${near}"?`;
  const data = near === undefined ? undefined : { nearest: near };
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${shownName(name)}" here. ${next}`, data);
}

/**
 * An argument that a prompt does not have is a misspelled one, or of an older list: to leave it out would give a person another
 * text than they asked for, without a word, since the result has no place for one. "Servers SHOULD validate prompt arguments
 * before processing them" (MCP 2025-11-25 and 2026-07-28, prompts).
 */
function refuseUnknownArguments(offers: OfferSource, name: string, given: readonly string[]): void {
  const known = offers
    .prompts()
    .find((prompt) => prompt.name === name)
    ?.arguments.map((argument) => argument.name);
  const unknown = given.find((key) => known?.includes(key) === false);
  if (known === undefined || unknown === undefined) return;
  const near = nearestName(unknown, known);
  const takes = known.length === 0 ? "It takes none." : `It takes ${known.join(", ")}.`;
  const next = near === undefined ? takes : `Did you mean "${near}"?`;
  const message = `The prompt "${name}" has no argument "${shownName(unknown)}". ${next}`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, near === undefined ? undefined : { nearest: near });
}

function questionFor(prompt: string, missing: readonly PromptArgument[]): Question {
  const properties: JsonObject = Object.fromEntries(
    missing.map(({ name, description, values }) => [
      name,
      {
        type: "string",
        ...(description === undefined ? {} : { description }),
        ...(values === undefined || values.length === 0 ? {} : { enum: values }),
      },
    ]),
  );
  const schema = { type: "object", properties, required: missing.map(({ name }) => name) };
  return { key: QUESTION_KEY, message: `The prompt "${prompt}" needs more to go on.`, schema };
}

function answeredArguments({ mcpReq }: ServerContext): Readonly<Record<string, string>> {
  const answer = parseAnswer(mcpReq.inputResponses?.[QUESTION_KEY]);
  return answer?.action === "accept" ? textsOf(answer.content) : {};
}

function textsOf(content: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(content).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
