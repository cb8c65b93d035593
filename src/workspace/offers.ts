/** Prompts and resources of a workspace with their files checked; what has a fault is set aside with its reason. */
import type { PromptDefinition, ResourceDefinition } from "../core/offers.ts";
import type { Problem } from "../core/problem.ts";
import {
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
}

/** Of a workspace that could not be read yet. */
export const EMPTY_OFFERS: WorkspaceOffers = { prompts: [], resources: [] };

/** Checks the files of the entries. `look` judges one by its path. */
export function makeOffers(
  entries: OfferEntries,
  look: (file: string) => OfferedFile,
): { readonly offers: WorkspaceOffers; readonly problems: readonly Problem[] } {
  const prompts = entries.prompts.map((entry) => makePrompt(entry, look));
  const resources = entries.resources.map((entry) => makeResource(entry, look));
  return {
    offers: { prompts: prompts.flatMap(({ made }) => made ?? []), resources: resources.flatMap(({ made }) => made ?? []) },
    problems: [...prompts, ...resources].flatMap(({ problems }) => problems),
  };
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
    const unknown = (looked.places ?? []).filter((name) => !known.has(name));
    return unknown.map((name) => ({ ...unfilledPlace(name), place: { kind: "file", file: content.file }, offer }));
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

function faultOf(path: OfferedPath, looked: OfferedFile, offer: string): Problem | undefined {
  if (looked.kind === "bad") return { code: looked.code, severity: "error", place: path.place, message: looked.message, offer };
  const mimeType = typeOf(path);
  if (!isTextType(mimeType) || looked.places !== undefined) return undefined;
  const message = notTextMessage(path.file, mimeType, "it is not UTF-8");
  return { code: "FILE_UNREADABLE", severity: "error", place: path.place, message, offer };
}
