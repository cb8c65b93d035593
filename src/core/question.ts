/** A question that a script asks a person through the client, and the answer. */
import type { JsonObject } from "./json.ts";

/** A question, as it goes to the client. */
export interface Question {
  /** Names it among the questions of its call. */
  readonly key: string;
  readonly message: string;
  /** JSON Schema of the form: one level of fields that hold text, numbers, yes or no, or a choice (MCP, elicitation). */
  readonly schema: JsonObject;
}

/** What the person did. All three are answers, none is an error. */
export type Answer =
  | { readonly action: "accept"; readonly content: JsonObject }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/**
 * Asks through the client that called. Rejects with `ToolError` UNAVAILABLE where that client cannot ask, and when the
 * signal is aborted. The answer is what the client sent, not yet checked against the schema.
 */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;
