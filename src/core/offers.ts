/**
 * What a workspace offers beside its tools: prompts, texts that a person picks in a client, and resources, files that a
 * client reads. Both are data: nothing of them runs, and no secret is ever filled in.
 */
import type { ContentBlock } from "./content.ts";
import type { Problem } from "./problem.ts";

/** A value that a prompt asks for; always text. */
export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  /** All values that make sense, for completion; another one is no error. */
  readonly values?: readonly string[];
}

/** A prompt, as it is listed. */
export interface PromptDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
}

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}

/** A prompt that was asked for. `failed`: it is there but cannot be given now; the message says why. `broken`: its entry, or a file of it, was set aside. */
export type PromptOutcome =
  | { readonly kind: "messages"; readonly description: string; readonly messages: readonly PromptMessage[] }
  | { readonly kind: "incomplete"; readonly missing: readonly PromptArgument[] }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "broken"; readonly problem: Problem }
  | { readonly kind: "unknown" };

/** A resource, as it is listed. A template has `{name}` places in its `uri` (RFC 6570, level 1). */
export interface ResourceDefinition {
  readonly kind: "file" | "template";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType: string;
  /** Bytes of the file; a template's are not known before it is filled in. */
  readonly size?: number;
  /** Differs when the content does. */
  readonly version: string;
}

/** A resource that was read; `failed` and `broken` as of a prompt. */
export type ResourceOutcome =
  | { readonly kind: "text"; readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly kind: "bytes"; readonly uri: string; readonly mimeType: string; readonly base64: string }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "broken"; readonly problem: Problem }
  | { readonly kind: "unknown" };

/** Where prompts and resources come from; all of it as of now. */
export interface OfferSource {
  prompts(): readonly PromptDefinition[];
  /** The messages of a prompt, with the arguments in their places. */
  prompt(name: string, args: Readonly<Record<string, string>>): PromptOutcome;
  resources(): readonly ResourceDefinition[];
  readResource(uri: string): ResourceOutcome;
}

/** Of one who may see nothing, or of a server without a workspace. */
export const NO_OFFERS: OfferSource = {
  prompts: () => [],
  prompt: () => ({ kind: "unknown" }),
  resources: () => [],
  readResource: () => ({ kind: "unknown" }),
};
