/** Entries of `prompts` and `resources` in tools.json, as typed values or as the findings that set them aside. */
import type { z } from "zod";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import type { PromptArgument } from "../core/offers.ts";
import type { Place, Problem } from "../core/problem.ts";
import { hiddenTextProblems } from "./hidden-text.ts";
import type { JsonDocument } from "./json-document.ts";
import { promptEntrySchema, resourceEntrySchema } from "./offer-schema.ts";
import { placesOfText } from "./places.ts";
import { pathFault, plainScriptPath } from "./script-path.ts";
import { uriFault } from "./uri-template.ts";
import { below, problemAt, problemsOf, type Spot, unknownKeys } from "./zod-problems.ts";

/** Fields that clients show to people and models, of each list. Names of prompts have a rule of their own. */
const PROMPT_TEXTS: readonly string[] = ["title", "description", "arguments", "messages"];
const RESOURCE_TEXTS: readonly string[] = ["uri", "name", "title", "description"];

/** A file that an entry names. */
export interface OfferedPath {
  /** Relative to the workspace, "/" between folders. */
  readonly file: string;
  readonly place: Place;
  readonly mimeType?: string;
}

/** One message as written: text of its own, or a file. `uri` makes it an embedded resource. */
export interface MessageEntry {
  readonly role: "user" | "assistant";
  readonly content:
    | { readonly kind: "text"; readonly text: string; readonly mimeType?: string }
    | ({ readonly kind: "file" } & OfferedPath);
  readonly uri?: string;
}

/** A prompt that holds by itself; its files are not read yet. */
export interface PromptEntry {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  readonly messages: readonly MessageEntry[];
  readonly place: Place;
}

/** A resource that holds by itself; its file is not read yet. */
export interface ResourceEntry extends OfferedPath {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
}

/** An entry that was set aside, by what clients would ask for. */
export interface BrokenOffer {
  /** The name of a prompt, the URI of a resource. */
  readonly key: string;
  /** The first reason. */
  readonly problem: Problem;
}

/** What tools.json offers beside tools. */
export interface OfferEntries {
  readonly prompts: readonly PromptEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly brokenPrompts: readonly BrokenOffer[];
  readonly brokenResources: readonly BrokenOffer[];
  readonly problems: readonly Problem[];
}

/** Most entries of a list that are read. */
export interface OfferLimits {
  readonly prompts: number;
  readonly resources: number;
}

/** Reads both lists of a document that is an object. A fault sets aside only the entry it is in. */
export function parseOffers(document: JsonDocument, limits: OfferLimits): OfferEntries {
  const prompts = parseList(document, "prompts", limits.prompts, (spot, value) => parsePrompt(value, spot));
  const resources = parseList(document, "resources", limits.resources, (spot, value) => parseResource(value, spot));
  return {
    prompts: prompts.entries,
    resources: resources.entries,
    brokenPrompts: prompts.broken,
    brokenResources: resources.broken,
    problems: [...prompts.problems, ...resources.problems],
  };
}

interface Parsed<Entry> {
  /** Absent: it is set aside. */
  readonly entry?: Entry;
  readonly problems: readonly Problem[];
}

function parseList<Entry extends { readonly name: string }>(
  document: JsonDocument,
  list: "prompts" | "resources",
  most: number,
  parse: (spot: Spot, value: JsonValue) => Parsed<Entry>,
): { readonly entries: readonly Entry[]; readonly broken: readonly BrokenOffer[]; readonly problems: readonly Problem[] } {
  const { value } = document;
  const items: readonly JsonValue[] = isJsonObject(value) && Array.isArray(value[list]) ? value[list] : [];
  const entries: Entry[] = [];
  const broken: BrokenOffer[] = [];
  const problems: Problem[] = [];
  const keys = new Set<string>();
  for (const [index, item] of items.slice(0, most).entries()) {
    const spot: Spot = { document, path: [list, index] };
    const offer = offerName(list, item, index);
    const faults = document.faults.filter(({ path }) => path[0] === list && path[1] === index).map(({ problem }) => problem);
    const parsed = parse(spot, item);
    const key = keyOf(list, item);
    // Compared without regard to case, as those of tools.
    const unique = list === "prompts" ? key?.toLowerCase() : key;
    const duplicate = unique !== undefined && keys.has(unique) ? [duplicateProblem(list, spot)] : [];
    if (unique !== undefined) keys.add(unique);
    const found = [...faults, ...parsed.problems, ...duplicate].map((problem) => ({ ...problem, offer }));
    problems.push(...found);
    const fault = found.find(({ severity }) => severity === "error");
    if (parsed.entry !== undefined && fault === undefined) entries.push(parsed.entry);
    else if (key !== undefined && fault !== undefined) broken.push({ key, problem: fault });
  }
  if (items.length > most) {
    const message = `${items.length} ${list} are written here; the first ${most} are read (limit "${list}").`;
    problems.push({ ...problemAt({ document, path: [list, most] }, { code: "LIMIT_RANGE", message }), offer: list });
  }
  return { entries, broken, problems };
}

function parsePrompt(value: JsonValue, spot: Spot): Parsed<PromptEntry> {
  const parsed = promptEntrySchema.safeParse(value);
  const problems = [...unknownKeys(promptEntrySchema, value, spot), ...hiddenIn(value, PROMPT_TEXTS, spot)];
  if (!parsed.success) return { problems: [...problemsOf(parsed.error, spot), ...problems] };
  const { data } = parsed;
  const args = (data.arguments ?? []).map(argumentOf);
  const twice = args.find(({ name }, index) => args.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) {
    const message = `The argument "${twice.name}" stands twice. Rename one of them.`;
    problems.push(problemAt(below(spot, "arguments"), { code: "DUPLICATE_NAME", message }));
  }
  const messages = messagesOf(data, spot);
  problems.push(...messages.problems, ...unknownPlaces(messages.entries, args, spot));
  const entry: PromptEntry = {
    name: data.name,
    ...(data.title === undefined ? {} : { title: data.title }),
    description: data.description,
    arguments: args,
    messages: messages.entries,
    place: spot.document.placeOf(spot.path),
  };
  return { entry, problems };
}

function hiddenIn(value: JsonValue, fields: readonly string[], spot: Spot): readonly Problem[] {
  return isJsonObject(value) ? hiddenTextProblems(value, fields, spot) : [];
}

type PromptData = z.infer<typeof promptEntrySchema>;

function argumentOf({ name, description, required = false, values }: NonNullable<PromptData["arguments"]>[number]): PromptArgument {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    required,
    ...(values === undefined ? {} : { values }),
  };
}

function messagesOf(data: PromptData, spot: Spot): { readonly entries: readonly MessageEntry[]; readonly problems: readonly Problem[] } {
  const { file, messages } = data;
  if ((file === undefined) === (messages === undefined)) {
    const message = 'A prompt has either "file", for one message, or "messages".';
    return { entries: [], problems: [problemAt(spot, { code: file === undefined ? "MISSING_KEY" : "INVALID_VALUE", message })] };
  }
  const entries: MessageEntry[] = [];
  const problems: Problem[] = [];
  const parts =
    file === undefined
      ? (messages ?? []).map((one, index) => ({ one, at: below(below(spot, "messages"), index) }))
      : [{ one: { file }, at: spot }];
  for (const { one, at } of parts) {
    const { role = "user", text, file: path, uri, mimeType }: NonNullable<PromptData["messages"]>[number] = one;
    const typed = mimeType === undefined ? {} : { mimeType };
    const addressed = uri === undefined ? {} : { uri };
    if ((text === undefined) === (path === undefined)) {
      problems.push(problemAt(at, { code: "INVALID_VALUE", message: 'A message has either "text" or "file".' }));
    } else if (path === undefined) {
      entries.push({ role, content: { kind: "text", text: text ?? "", ...typed }, ...addressed });
    } else {
      const checked = checkPath(path, below(at, "file"));
      problems.push(...checked.problems);
      entries.push({ role, content: { kind: "file", ...checked.path, ...typed }, ...addressed });
    }
  }
  return { entries, problems };
}

function parseResource(value: JsonValue, spot: Spot): Parsed<ResourceEntry> {
  const parsed = resourceEntrySchema.safeParse(value);
  const problems = [...unknownKeys(resourceEntrySchema, value, spot), ...hiddenIn(value, RESOURCE_TEXTS, spot)];
  if (!parsed.success) return { problems: [...problemsOf(parsed.error, spot), ...problems] };
  const { uri, name, title, description, mimeType, file } = parsed.data;
  const fault = uriFault(uri);
  if (fault !== undefined) problems.push(problemAt(below(spot, "uri"), { code: "INVALID_VALUE", message: `"uri" ${fault}.` }));
  const checked = checkPath(file, below(spot, "file"));
  problems.push(...checked.problems);
  const entry: ResourceEntry = {
    uri,
    name,
    ...checked.path,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
  return { entry, problems };
}

function checkPath(path: string, spot: Spot): { readonly path: OfferedPath; readonly problems: readonly Problem[] } {
  const fault = pathFault(path);
  const problems = fault === undefined ? [] : [problemAt(spot, { code: "PATH_OUTSIDE", message: `"file" ${fault}.` })];
  return { path: { file: plainScriptPath(path), place: spot.document.placeOf(spot.path) }, problems };
}

/** Places in texts of the entry itself that no argument fills; those in files are found when the files are read. */
function unknownPlaces(messages: readonly MessageEntry[], args: readonly PromptArgument[], spot: Spot): readonly Problem[] {
  const texts = messages.flatMap(({ content, uri }) => [
    ...(content.kind === "text" ? [content.text] : []),
    ...(uri === undefined ? [] : [uri]),
  ]);
  const unknown = texts.flatMap(placesOfText).filter((name) => !args.some((argument) => argument.name === name));
  return [...new Set(unknown)].map((name) => problemAt(below(spot, "messages"), unfilledPlace(name)));
}

/** The warning about a place that stays as it is. */
export function unfilledPlace(name: string): Pick<Problem, "code" | "severity" | "message"> {
  const message = `{{${name}}} is no argument of this prompt and stays as it is. Secrets are never filled in here.`;
  return { code: "TEMPLATE_PLACE", severity: "warning", message };
}

function keyOf(list: "prompts" | "resources", item: JsonValue): string | undefined {
  const key = isJsonObject(item) ? (list === "prompts" ? item.name : item.uri) : undefined;
  return typeof key === "string" ? key : undefined;
}

function duplicateProblem(list: "prompts" | "resources", spot: Spot): Problem {
  const message =
    list === "prompts"
      ? "Another prompt before this one has the same name, compared without regard to case. Rename one of them."
      : "Another resource before this one has the same URI. Change one of them.";
  return problemAt(below(spot, list === "prompts" ? "name" : "uri"), { code: "DUPLICATE_NAME", message });
}

function offerName(list: "prompts" | "resources", item: JsonValue, index: number): string {
  const name = isJsonObject(item) && typeof item.name === "string" ? `"${item.name}"` : String(index);
  return `${list === "prompts" ? "prompt" : "resource"} ${name}`;
}
