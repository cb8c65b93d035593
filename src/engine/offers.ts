import type { ContentBlock } from "../core/content.ts";
import type { OfferSource, PromptArgument, PromptMessage, PromptOutcome, ResourceDefinition, ResourceOutcome } from "../core/offers.ts";
import { cutText, wellFormed } from "../core/text.ts";
import { checkMediaType } from "../results/media-type.ts";
import type { MessageEntry } from "../workspace/offer-entry.ts";
import { typeOf, type WorkspaceOffers, type WorkspacePrompt } from "../workspace/offers.ts";
import { fillPlaces } from "../workspace/places.ts";
import { matchTemplate, uriFault } from "../workspace/uri-template.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Longest argument of a prompt, in UTF-16 units; the rest is cut. A file pasted whole still fits. */
const MAX_ARGUMENT_CHARACTERS = 200_000;

/** The prompts and resources of an open workspace, read from its files each time they are asked for. */
export function createOfferSource(workspace: Workspace): OfferSource {
  const offers = (): WorkspaceOffers => workspace.current().offers;
  return {
    prompts: () => offers().prompts.map(({ definition }) => definition),
    prompt: (name, args) => {
      const prompt = offers().prompts.find(({ definition }) => definition.name === name);
      if (prompt !== undefined) return renderPrompt(prompt, args, workspace);
      const broken = offers().brokenPrompts.find(({ key }) => key === name);
      return broken === undefined ? { kind: "unknown" } : { kind: "broken", problem: broken.problem };
    },
    resources: () => offers().resources.map(({ definition }) => definition),
    readResource: (uri) => readResource(offers(), uri, workspace),
  };
}

/** Missing counts as empty too: clients send "" for a field that a person left alone. */
function missingArguments(wanted: readonly PromptArgument[], args: Readonly<Record<string, string>>): readonly PromptArgument[] {
  return wanted.filter(({ name, required }) => required && (Object.hasOwn(args, name) ? args[name] : "") === "");
}

function renderPrompt(
  { definition, messages }: WorkspacePrompt,
  args: Readonly<Record<string, string>>,
  workspace: Workspace,
): PromptOutcome {
  const missing = missingArguments(definition.arguments, args);
  if (missing.length > 0) return { kind: "incomplete", missing };
  const values = new Map(
    definition.arguments.map(({ name }) => [
      name,
      cutText(wellFormed(Object.hasOwn(args, name) ? (args[name] ?? "") : ""), MAX_ARGUMENT_CHARACTERS),
    ]),
  );
  const rendered: PromptMessage[] = [];
  for (const message of messages) {
    const block = renderMessage(message, values, workspace);
    if (typeof block === "string") return { kind: "failed", message: `The prompt ${definition.name} cannot be given: ${block}` };
    rendered.push({ role: message.role, content: block });
  }
  return { kind: "messages", description: definition.description, messages: rendered };
}

/** The block of a message, or why there is none. */
function renderMessage({ content, uri }: MessageEntry, values: ReadonlyMap<string, string>, workspace: Workspace): ContentBlock | string {
  const mimeType = content.kind === "text" ? (content.mimeType ?? "text/plain") : typeOf(content);
  const read = content.kind === "text" ? content : workspace.readOffered(content.file, mimeType);
  if (read.kind === "bad") return read.message;
  if (uri !== undefined) {
    const filled = fillPlaces(uri, values);
    if (!URL.canParse(filled)) return `its "uri" is "${cutText(filled, 200)}" with these arguments, which is no URI with a scheme.`;
    const body = read.kind === "text" ? { text: fillPlaces(read.text, values) } : { blob: read.bytes.toString("base64") };
    return { type: "resource", resource: { uri: filled, mimeType, ...body } };
  }
  if (read.kind === "text") return { type: "text", text: fillPlaces(read.text, values) };
  const type = /^(image|audio)\//.exec(mimeType)?.[1];
  if (type !== "image" && type !== "audio")
    return `a message cannot hold ${mimeType} as it is. Give it a "uri", and it becomes an embedded resource.`;
  const verdict = checkMediaType(mimeType, read.bytes);
  if (verdict.kind === "wrong") return `${content.kind === "file" ? content.file : "a file"} ${verdict.reason}.`;
  return { type, data: read.bytes.toString("base64"), mimeType: verdict.mimeType };
}

function readResource({ resources, brokenResources }: WorkspaceOffers, uri: string, workspace: Workspace): ResourceOutcome {
  const exact = resources.find(({ definition }) => definition.kind === "file" && definition.uri === uri);
  if (exact !== undefined) return resourceContent(exact, uri, new Map(), workspace);
  for (const resource of resources) {
    if (resource.definition.kind !== "template") continue;
    const values = matchTemplate(resource.definition.uri, uri);
    if (values !== undefined) return resourceContent(resource, uri, values, workspace);
  }
  const broken = brokenResources.find(({ key }) => key === uri || (uriFault(key) === undefined && matchTemplate(key, uri) !== undefined));
  return broken === undefined ? { kind: "unknown" } : { kind: "broken", problem: broken.problem };
}

function resourceContent(
  { definition, file }: { readonly definition: ResourceDefinition; readonly file: string },
  uri: string,
  values: ReadonlyMap<string, string>,
  workspace: Workspace,
): ResourceOutcome {
  const { mimeType } = definition;
  const read = workspace.readOffered(file, mimeType);
  switch (read.kind) {
    case "bad":
      return { kind: "failed", message: read.message };
    case "text":
      // Only what the URI gives is filled in: a document may hold {{…}} of its own.
      return { kind: "text", uri, mimeType, text: values.size === 0 ? read.text : fillPlaces(read.text, values) };
    case "bytes":
      return { kind: "bytes", uri, mimeType, base64: read.bytes.toString("base64") };
  }
}
