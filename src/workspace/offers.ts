/** Prompts and resources of a workspace with their files checked; what has a fault is set aside with its reason. */
import type { PromptDefinition, ResourceDefinition } from "../core/offers.ts";
import type { Problem } from "../core/problem.ts";
import { shownProblem } from "./hidden-text.ts";
import {
  type BrokenOffer,
  type MessageEntry,
  type OfferEntries,
  type OfferedPath,
  type PromptEntry,
  type ResourceEntry,
  unfilledPlace,
} from "./offer-entry.ts";
import { isTextType, notTextMessage, type OfferedFile, typeOfName } from "./offered-file.ts";
import { isTemplate } from "./uri-template.ts";

/** A prompt that can be given. */
export interface WorkspacePrompt {
  readonly definition: PromptDefinition;
  readonly messages: readonly MessageEntry[];
}

/** A resource that can be read. */
export interface WorkspaceResource {
  readonly definition: ResourceDefinition;
  readonly file: string;
}

/** All that a workspace offers beside tools at one moment. */
export interface WorkspaceOffers {
  readonly prompts: readonly WorkspacePrompt[];
  readonly resources: readonly WorkspaceResource[];
  readonly brokenPrompts: readonly BrokenOffer[];
  readonly brokenResources: readonly BrokenOffer[];
}

/** Of a workspace that could not be read yet. */
export const EMPTY_OFFERS: WorkspaceOffers = { prompts: [], resources: [], brokenPrompts: [], brokenResources: [] };

/** Checks the files of the entries. `look` judges one by its path. */
export function makeOffers(
  entries: OfferEntries,
  look: (file: string) => OfferedFile,
): { readonly offers: WorkspaceOffers; readonly problems: readonly Problem[] } {
  const prompts = entries.prompts.map((entry) => ({ key: entry.name, ...makePrompt(entry, look) }));
  const resources = entries.resources.map((entry) => ({ key: entry.uri, ...makeResource(entry, look) }));
  return {
    offers: {
      prompts: prompts.flatMap(({ made }) => made ?? []),
      resources: resources.flatMap(({ made }) => made ?? []),
      brokenPrompts: [...entries.brokenPrompts, ...prompts.flatMap(brokenOf)].map(shownOffer),
      brokenResources: [...entries.brokenResources, ...resources.flatMap(brokenOf)].map(shownOffer),
    },
    problems: [...prompts, ...resources].flatMap(({ problems }) => problems),
  };
}

/** The key stays as written, to be found by it. */
function shownOffer({ key, problem }: BrokenOffer): BrokenOffer {
  return { key, problem: shownProblem(problem) };
}

function brokenOf({ key, made, problems }: Made<unknown> & { readonly key: string }): readonly BrokenOffer[] {
  const problem = made === undefined ? problems.find(({ severity }) => severity === "error") : undefined;
  return problem === undefined ? [] : [{ key, problem }];
}

/** Paths of all files that entries name. */
export function offeredFiles({ prompts, resources }: OfferEntries): readonly string[] {
  const inPrompts = prompts.flatMap(({ messages }) => messages.flatMap(({ content }) => (content.kind === "file" ? [content.file] : [])));
  return [...new Set([...inPrompts, ...resources.map(({ file }) => file)])];
}

/** The type of what an entry names. */
export function typeOf({ file, mimeType }: Pick<OfferedPath, "file" | "mimeType">): string {
  return mimeType ?? typeOfName(file);
}

interface Made<T> {
  readonly made?: T;
  readonly problems: readonly Problem[];
}

function makePrompt(entry: PromptEntry, look: (file: string) => OfferedFile): Made<WorkspacePrompt> {
  const { place: _place, messages, ...definition } = entry;
  const offer = `prompt "${entry.name}"`;
  const known = new Set(entry.arguments.map(({ name }) => name));
  const problems = messages.flatMap(({ content }): readonly Problem[] => {
    if (content.kind === "text") return [];
    const looked = look(content.file);
    const fault = faultOf(content, looked, offer);
    if (fault !== undefined) return [fault];
    if (looked.kind === "bad" || !isTextType(typeOf(content))) return [];
    if (looked.hidden.length > 0) return [hiddenTextFault(content, looked.hidden, offer)];
    const unknown = [...(looked.places ?? [])].filter(([name]) => !known.has(name));
    return unknown.map(([name, place]) => ({ ...unfilledPlace(name), place, offer }));
  });
  return problems.some(({ severity }) => severity === "error") ? { problems } : { made: { definition, messages }, problems };
}

function makeResource(entry: ResourceEntry, look: (file: string) => OfferedFile): Made<WorkspaceResource> {
  const { file, place: _place, mimeType: _type, ...shown } = entry;
  const looked = look(file);
  const fault = faultOf(entry, looked, `resource "${entry.name}"`);
  if (fault !== undefined || looked.kind === "bad") return { problems: fault === undefined ? [] : [fault] };
  const kind = isTemplate(entry.uri) ? "template" : "file";
  const definition: ResourceDefinition = {
    kind,
    ...shown,
    mimeType: typeOf(entry),
    ...(kind === "file" ? { size: looked.bytes } : {}),
    version: looked.sha256,
  };
  return { made: { definition, file }, problems: [] };
}

/** The text of a prompt speaks to a model in the name of its user, who has to be able to read it. Resources are data. */
function hiddenTextFault({ file, place }: OfferedPath, characters: readonly string[], offer: string): Problem {
  const message = `${file} hides text from people by invisible characters (${characters.join(", ")}). Remove them.`;
  return { code: "HIDDEN_CHARACTERS", severity: "error", place, message, offer };
}

function faultOf(path: OfferedPath, looked: OfferedFile, offer: string): Problem | undefined {
  if (looked.kind === "bad") return { code: looked.code, severity: "error", place: path.place, message: looked.message, offer };
  const mimeType = typeOf(path);
  if (!isTextType(mimeType) || looked.places !== undefined) return undefined;
  const message = notTextMessage(path.file, mimeType, "it is not UTF-8");
  return { code: "FILE_UNREADABLE", severity: "error", place: path.place, message, offer };
}
