/** Prompts and resources as `list` shows them, each in a short section of its own: what there is, and why an entry is set aside. */
import type { JsonObject } from "../core/json.ts";
import type { OfferSource, PromptArgument, PromptDefinition, ResourceDefinition } from "../core/offers.ts";
import { placedMessage, problemData } from "../core/problem.ts";
import type { BrokenOffer } from "../workspace/offer-entry.ts";
import type { WorkspaceOffers } from "../workspace/offers.ts";
import type { Paint } from "./io.ts";
import { firstClause, oneLine, visibleName } from "./terminal-text.ts";

/** What a workspace offers beside its tools; `key` is the name of a prompt, the URI of a resource. */
export interface ShownOffers {
  readonly prompts: readonly PromptDefinition[];
  readonly resources: readonly ResourceDefinition[];
  readonly brokenPrompts: readonly BrokenOffer[];
  readonly brokenResources: readonly BrokenOffer[];
}

/** Widest description and widest list of arguments; a longer text is cut. */
const MAX_DESCRIPTION = 56;
const MAX_ARGUMENTS = 60;

/** What a caller may see; `isDenied`: one who may use nothing is shown no entry that is set aside either. */
export function shownOffers(source: OfferSource, { brokenPrompts, brokenResources }: WorkspaceOffers, isDenied: boolean): ShownOffers {
  const broken = isDenied ? { brokenPrompts: [], brokenResources: [] } : { brokenPrompts, brokenResources };
  return { prompts: source.prompts(), resources: source.resources(), ...broken };
}

/** True if there is nothing to show. */
export function hasNoOffers({ prompts, resources, brokenPrompts, brokenResources }: ShownOffers): boolean {
  return prompts.length + resources.length + brokenPrompts.length + brokenResources.length === 0;
}

/** `2 prompts`, `1 resource`, of those that are there, set aside or not. */
export function offerCounts({ prompts, resources, brokenPrompts, brokenResources }: ShownOffers): readonly string[] {
  return [...counted(prompts.length + brokenPrompts.length, "prompt"), ...counted(resources.length + brokenResources.length, "resource")];
}

/** Both sections, each with an empty line before it; empty where there is nothing. */
export function offerLines({ prompts, resources, brokenPrompts, brokenResources }: ShownOffers, paint: Paint): string[] {
  const promptRows = prompts.map(({ name, description, arguments: args }) => ({ key: name, description, beside: argumentsText(args) }));
  const resourceRows = resources.map(({ uri, name, description, mimeType }) => ({
    key: uri,
    description: description ?? name,
    beside: mimeType,
  }));
  return [...section("Prompts", promptRows, brokenPrompts, paint), ...section("Resources", resourceRows, brokenResources, paint)];
}

/** `prompts` and `resources` as `list --json` has them; `status` is "ready" or "broken", as of tools. */
export function offerData({ prompts, resources, brokenPrompts, brokenResources }: ShownOffers): JsonObject {
  return {
    prompts: [
      ...prompts.map(({ arguments: args, ...shown }) => ({ ...shown, arguments: args.map(argumentData), status: "ready" })),
      ...brokenPrompts.map(({ key, problem }) => ({ name: key, status: "broken", problem: problemData(problem) })),
    ],
    resources: [
      ...resources.map(({ version: _version, ...shown }) => ({ ...shown, status: "ready" })),
      ...brokenResources.map(({ key, problem }) => ({ uri: key, status: "broken", problem: problemData(problem) })),
    ],
  };
}

interface Row {
  readonly key: string;
  readonly description: string;
  /** What stands behind the description. */
  readonly beside: string;
}

function section(title: string, rows: readonly Row[], broken: readonly BrokenOffer[], paint: Paint): string[] {
  if (rows.length + broken.length === 0) return [];
  const keyWidth = widest([...rows, ...broken].map(({ key }) => visibleName(key)));
  const status = broken.length > 0 ? "set aside" : "ready";
  const abouts = rows.map(({ description }) => firstClause(description, MAX_DESCRIPTION));
  const aboutWidth = widest(abouts);
  const head = (key: string): string => `  ${paint("strong", visibleName(key))}${" ".repeat(keyWidth - visibleName(key).length)}`;
  const indent = " ".repeat(2 + keyWidth + 2 + status.length + 3);
  return [
    "",
    `${title}:`,
    ...rows.map(({ key, beside }, index) => {
      const about = abouts[index] ?? "";
      const line = `${head(key)}  ${paint("good", "ready")}${" ".repeat(status.length - "ready".length)}   ${about}`;
      return beside === "" ? line.trimEnd() : `${line}${" ".repeat(aboutWidth - about.length)}  ${paint("quiet", beside)}`;
    }),
    ...broken.flatMap(({ key, problem }) => [
      `${head(key)}  ${paint("bad", "set aside")}`,
      indent + paint("quiet", oneLine(placedMessage(problem), 200)),
    ]),
  ];
}

/** `path, [style]`: those in brackets may be left out. */
function argumentsText(args: readonly PromptArgument[]): string {
  return oneLine(args.map(({ name, required }) => (required ? name : `[${name}]`)).join(", "), MAX_ARGUMENTS);
}

function argumentData({ values, ...shown }: PromptArgument): JsonObject {
  return { ...shown, ...(values === undefined ? {} : { values: [...values] }) };
}

function counted(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [count === 1 ? `1 ${noun}` : `${count} ${noun}s`];
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
