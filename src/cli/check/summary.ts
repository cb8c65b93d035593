/** The last line of `check`, and the same as JSON: how many tools, prompts and resources work, and which do not. */
import type { JsonObject } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import type { ListedTool, ToolStatus } from "../../core/tool.ts";
import { hasNoOffers, type ShownOffers } from "../offer-table.ts";
import { visibleName } from "../terminal-text.ts";

/** What is counted. */
export interface Checked {
  /** The workspace's tools, those set aside included. */
  readonly tools: readonly ListedTool[];
  readonly offers: ShownOffers;
  readonly problems: readonly Problem[];
}

/** Names of tools and prompts, and URIs of resources, by how they are. */
export function checkedData({ tools, offers, problems }: Checked): JsonObject {
  return {
    ...toolNames(tools, problems),
    prompts: { ready: offers.prompts.map(({ name }) => name), setAside: offers.brokenPrompts.map(({ key }) => key) },
    resources: { ready: offers.resources.map(({ uri }) => uri), setAside: offers.brokenResources.map(({ key }) => key) },
  };
}

/** One line for people. */
export function checkedLine({ tools, offers, problems }: Checked): string {
  const { ready, waiting, setAside: broken } = toolNames(tools, problems);
  const setAside = broken.length + offers.brokenPrompts.length + offers.brokenResources.length;
  const working = ready.length + waiting.length + offers.prompts.length + offers.resources.length;
  const ofTools = [
    ready.length === 1 ? "1 tool ready" : `${ready.length} tools ready`,
    ...(waiting.length > 0 ? [`${waiting.length} waiting for a secret or for trust (${waiting.map(visibleName).join(", ")})`] : []),
    ...(broken.length > 0 ? [`${broken.length} set aside (${broken.map(visibleName).join(", ")})`] : []),
  ];
  const ending = setAside > 0 && working > 0 ? " The others keep working." : problems.length === 0 ? " Nothing to mend." : "";
  return `${ofTools.join(", ")}.${hasNoOffers(offers) ? "" : ` ${offersText(offers)}`}${ending}`;
}

function offersText({ prompts, resources, brokenPrompts, brokenResources }: ShownOffers): string {
  const kinds = [
    ...(prompts.length + brokenPrompts.length > 0 ? [counted(prompts.length, "prompt")] : []),
    ...(resources.length + brokenResources.length > 0 ? [counted(resources.length, "resource")] : []),
  ];
  const broken = [
    ...brokenPrompts.map(({ key }) => `prompt ${visibleName(key)}`),
    ...brokenResources.map(({ key }) => `resource ${visibleName(key)}`),
  ];
  return `${kinds.join(" and ")} ready${broken.length === 0 ? "" : `, ${broken.length} set aside (${broken.join(", ")})`}.`;
}

interface ToolNames {
  readonly ready: readonly string[];
  readonly waiting: readonly string[];
  readonly setAside: readonly string[];
}

/** A tool is listed as one agent has it; it waits also where another one lacks a secret. */
function toolNames(tools: readonly ListedTool[], problems: readonly Problem[]): ToolNames {
  const lacking = new Set(problems.flatMap(({ code, tool }) => (code === "SECRET_MISSING" && tool !== undefined ? [tool] : [])));
  const namesOf = (wanted: keyof ToolNames): readonly string[] =>
    tools.filter(({ name, status }) => groupOf(status, lacking.has(name)) === wanted).map(({ name }) => name);
  return { ready: namesOf("ready"), waiting: namesOf("waiting"), setAside: namesOf("setAside") };
}

function groupOf({ kind }: ToolStatus, isLacking: boolean): keyof ToolNames {
  if (kind === "broken") return "setAside";
  return kind === "ready" && !isLacking ? "ready" : "waiting";
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
