/** `trust --list` and `trust --revoke`: what a person allowed, and taking it back. Neither makes anything more allowed. */
import { ToolError } from "../core/errors.ts";
import { isSameAs, openTrust, type Trust, type TrustEntry } from "../policy/trust-store.ts";
import { SETTINGS_FILE } from "../workspace/settings-file.ts";
import type { CliRuntime } from "./cli-runtime.ts";
import type { CliContext, ExitCode, WorkspaceOptions } from "./command.ts";
import { workspaceFlag } from "./command-wording.ts";
import { areAgentsLost } from "./lost-agents.ts";
import { askYes, canAskPerson } from "./prompts.ts";
import { askData, askLines, type TrustedEntry, trustedData, trustedLines } from "./trust-asks.ts";
import { recognisedIdentity } from "./workspace-choice.ts";

/** Options of both. */
export interface ReviewOptions extends WorkspaceOptions {
  readonly yes?: boolean;
  readonly kind?: string;
  readonly tool?: string;
  readonly value?: string;
}

/** Writes what is trusted here, and what is asked for and off. */
export function listTrust(context: CliContext, options: ReviewOptions, runtime: CliRuntime): ExitCode {
  const { output } = context;
  const { entries: trusted, haveAgentsEnded } = trustedIn(context, runtime);
  const isLost = areAgentsLost(runtime.workspace.current(), runtime.trust().hadAgents());
  const open = runtime.asks().filter((ask) => !ask.isTrusted);
  if (options.json === true) {
    const agents = { ...(haveAgentsEnded ? { agentsEnded: true } : {}), ...(isLost ? { agentsLost: true } : {}) };
    output.json({ trusted: trusted.map(trustedData), asked: open.map(askData), ...agents });
    return 0;
  }
  output.line(trusted.length === 0 && !haveAgentsEnded ? "Nothing is trusted here." : "Trusted here:");
  for (const line of [...trustedLines(trusted), ...endedLines(haveAgentsEnded)]) output.line(line);
  if (isLost) for (const line of agentsLines(workspaceFlag(context, options))) output.line(line);
  if (open.length > 0) output.line(`Asked for and off; look at it and decide: toolyard trust${workspaceFlag(context, options)}`);
  for (const line of askLines(open)) output.line(line);
  return 0;
}

/**
 * Shows what will be taken back, all or what `--kind`, `--tool` and `--value` name, and takes it back. A person at a
 * terminal is asked; elsewhere it is done, since it only narrows. Throws `ToolError` INVALID_REQUEST where nothing of that is trusted.
 */
export async function revokeTrust(context: CliContext, options: ReviewOptions, runtime: CliRuntime): Promise<ExitCode> {
  const { output, streams } = context;
  const { trust, entries, haveAgentsEnded } = trustedIn(context, runtime);
  const isEndChosen = haveAgentsEnded && (options.kind ?? NO_AGENTS) === NO_AGENTS && (options.tool ?? options.value) === undefined;
  const chosen = entries.filter(({ entry }) => isChosen(entry, options));
  const isNarrowed = options.kind !== undefined || options.tool !== undefined || options.value !== undefined;
  const isNothing = chosen.length === 0 && !isEndChosen;
  if (isNothing && isNarrowed) {
    throw new ToolError("INVALID_REQUEST", "Nothing of that kind, tool and value is trusted here. What is: toolyard trust --list");
  }
  if (!isNothing && options.json !== true) {
    output.note("This will be off again:");
    for (const line of [...trustedLines(chosen), ...endedLines(isEndChosen)]) output.note(line);
    if (canAskPerson(streams) && options.yes !== true && !(await askYes("Take it back?")))
      throw new ToolError("CANCELLED", "Nothing was changed.");
  }
  await trust?.remove(chosen.map(({ entry }) => entry));
  if (isEndChosen) await trust?.resumeAgents();
  if (options.json === true) output.json({ revoked: chosen.map(trustedData), ...(isEndChosen ? { agentsEnded: false } : {}) });
  else if (isNothing) output.line("Nothing is trusted here.");
  else output.line(`Taken back; running servers act on it ${isEndChosen ? "once they are started again" : "with the next call"}.`);
  return 0;
}

/** What `--kind` calls a person's word that there shall be no agents any more. */
const NO_AGENTS = "no-agents";

function endedLines(haveAgentsEnded: boolean): string[] {
  return haveAgentsEnded ? [`  ${NO_AGENTS}  (the agents there were have ended; every caller gets every tool)`] : [];
}

function agentsLines(flag: string): string[] {
  return [`The agents that this workspace had are gone from ${SETTINGS_FILE}, so nobody may use it; decide: toolyard trust${flag}`];
}

function isChosen(entry: TrustEntry, { kind, tool, value }: ReviewOptions): boolean {
  return (kind ?? entry.kind) === entry.kind && (tool ?? entry.tool) === entry.tool && (value ?? entry.value) === entry.value;
}

/** Throws NOT_TRUSTED for a folder that moved or was copied: what is recorded there is another folder's. */
function trustedIn(
  context: CliContext,
  runtime: CliRuntime,
): { readonly trust: Trust | undefined; readonly entries: readonly TrustedEntry[]; readonly haveAgentsEnded: boolean } {
  const identity = recognisedIdentity(context, runtime.root);
  const trust = identity === undefined ? undefined : openTrust(context.config.home, identity);
  const asked = runtime.asks().map((ask) => ask.entry);
  const entries = (trust?.entries() ?? []).map((entry) => ({
    entry,
    trustedAtMs: trust?.trustedAtMs(entry) ?? 0,
    isAskedFor: asked.some(isSameAs(entry)),
  }));
  return { trust, entries, haveAgentsEnded: trust?.haveAgentsEnded() ?? false };
}
