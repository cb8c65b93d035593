import path from "node:path";
import type { Command } from "commander";
import { ToolError } from "../../core/errors.ts";
import { visible } from "../../core/visible-text.ts";
import type { Ask } from "../../engine/workspace-guard.ts";
import { openTrust } from "../../policy/trust-store.ts";
import { SETTINGS_FILE } from "../../workspace/settings-file.ts";
import { workspaceIdentity } from "../../workspace/workspace-identity.ts";
import { openCliRuntime } from "../cli-runtime.ts";
import { type CliContext, type ExitCode, newCommand, withAction, withWorkspace } from "../command.ts";
import { areAgentsLost } from "../lost-agents.ts";
import { askYes, canAskPerson } from "../prompts.ts";
import { askData, askLines } from "../trust-asks.ts";
import { listTrust, type ReviewOptions, revokeTrust } from "../trust-review.ts";
import { UsageError } from "../usage-error.ts";

interface TrustOptions extends ReviewOptions {
  readonly list?: boolean;
  readonly revoke?: boolean;
}

/** `toolyard trust`: what the workspace asks for beyond what it may have by itself, and a person's answer. */
export function trustCommand(context: CliContext): Command {
  const command = newCommand("trust", {
    summary: "show what the workspace asks for beyond what it may have by itself, and ask whether it may",
    example:
      "toolyard trust -w my-tools\nTOOLYARD_CONFIRM=1 toolyard trust -w my-tools --yes\ntoolyard trust --revoke --tool lights --value 192.168.1.20:8080",
  })
    .option("--yes", "allow all of it without asking, where TOOLYARD_CONFIRM=1 is set (scripts and containers)")
    .option("--list", "only show what is trusted, and what is asked for and off")
    .option("--revoke", "take back what is trusted: all of it, or what --kind, --tool and --value name")
    .option("--kind <kind>", "with --revoke: only of this kind, such as private-host, as --list shows it")
    .option("--tool <tool>", "with --revoke: only of this tool")
    .option("--value <value>", "with --revoke: only this value, as --list shows it");
  return withAction(withWorkspace(command), context, (options: TrustOptions) => trustOrReview(context, options));
}

async function trustOrReview(context: CliContext, options: TrustOptions): Promise<ExitCode> {
  const { list = false, revoke = false, kind, tool, value } = options;
  if (list && revoke) throw new UsageError("--list only shows, and --revoke takes back. Leave out one of them.");
  if (!revoke && (kind ?? tool ?? value) !== undefined) throw new UsageError("--kind, --tool and --value belong to --revoke.");
  if (!list && !revoke) return trust(context, options);
  await using runtime = await openCliRuntime(context, options);
  return list ? listTrust(context, options, runtime) : await revokeTrust(context, options, runtime);
}

async function trust(context: CliContext, options: TrustOptions): Promise<ExitCode> {
  const { output, config, streams } = context;
  const canAsk = canAskPerson(streams);
  if (options.yes === true && !config.isConfirmed && !canAsk) {
    throw new UsageError(
      "--yes stands for a person only together with TOOLYARD_CONFIRM=1. Set it where a person decided this, or run trust on a terminal.",
      { code: "APPROVAL_REQUIRED" },
    );
  }
  await using runtime = await openCliRuntime(context, options);
  const record = openTrust(config.home, workspaceIdentity(runtime.root));
  const hasMoved = record.state() === "moved";
  const isEndOfAgents = areAgentsLost(runtime.workspace.current(), record.hadAgents());
  const asks = runtime.asks();
  // In a folder that moved everything counts as not trusted; what is open is asked for anew.
  const open = asks.filter((ask) => !ask.isTrusted);
  if (open.length === 0 && !hasMoved && !isEndOfAgents) {
    if (options.json === true) output.json({ trusted: [], asked: asks.map(askData) });
    else
      output.line(
        asks.length === 0
          ? "This workspace asks for nothing beyond what it may have by itself."
          : "All that this workspace asks for is trusted already.",
      );
    return 0;
  }
  const moved = hasMoved ? movedLines(runtime.root, record.confirmedPath()) : [];
  for (const line of [...moved, ...(isEndOfAgents ? AGENTS_LINES : []), ...openLines(runtime.root, open)]) output.note(line);
  if (!(await isAllowed(context, options, canAsk))) throw new ToolError("CANCELLED", "Nothing was changed; what is asked for stays off.");
  if (hasMoved) await record.adopt();
  await record.add(open.map((ask) => ask.entry));
  if (isEndOfAgents) await record.endAgents();
  if (options.json === true) {
    output.json({ trusted: open.map(askData), adopted: hasMoved, ...(isEndOfAgents ? { agentsEnded: true } : {}) });
    return 0;
  }
  if (open.length > 0 || hasMoved)
    output.line(`${open.length === 0 ? "The folder is known now" : "Stored"}; running servers act on it with the next call.`);
  if (isEndOfAgents) output.line("There are no agents here any more; a server that runs now lets nobody in until it is started again.");
  return 0;
}

async function isAllowed({ config }: CliContext, options: TrustOptions, canAsk: boolean): Promise<boolean> {
  if (options.yes === true && config.isConfirmed) return true;
  if (!canAsk) {
    throw new UsageError(
      "A person decides this on a terminal, and there is none here. Run it on one; in scripts and containers: --yes together with TOOLYARD_CONFIRM=1.",
      { code: "APPROVAL_REQUIRED" },
    );
  }
  return askYes("Allow this?");
}

const AGENTS_LINES = [
  `This workspace had agents, and ${SETTINGS_FILE} defines none now. Whoever may edit that file can have taken them out.`,
  "Allowing it means that there shall be no agents any more: every caller gets every tool. To have them back, define them again instead.",
];

function movedLines(root: string, confirmedPath: string | undefined): string[] {
  const found = `${visible(root)} is not the folder that was recorded`;
  // Secrets are stored under the id: a folder that has another one, or lost its own, does not get them by being looked at.
  return confirmedPath === undefined
    ? [
        `${found} at this path: its .toolyard/id is not the one of then, since that was taken away or another folder was put there.`,
        "Allowing it makes this folder a workspace of its own; secrets and tokens of the one before do not come along, store them again.",
      ]
    : [
        `${found} (${visible(confirmedPath)}): it moved, was copied, or another one was put there.`,
        "Allowing it makes this folder the workspace that its stored secrets belong to.",
      ];
}

function openLines(root: string, open: readonly Ask[]): string[] {
  return open.length === 0 ? [] : [`${visible(path.basename(root))} asks for more than a workspace may have by itself:`, ...askLines(open)];
}
