import type { Command } from "commander";
import { ToolError } from "../../core/errors.ts";
import { folderTrust } from "../../engine/folder-trust.ts";
import { isAgentName, openAgentStore } from "../../policy/agent-store.ts";
import { openTrust } from "../../policy/trust-store.ts";
import {
  type CliContext,
  type CommonOptions,
  type ExitCode,
  newCommand,
  newGroup,
  type WorkspaceOptions,
  withAction,
  withWorkspace,
} from "../command.ts";
import { workspaceFlag } from "../command-wording.ts";
import { refuseLostAgents } from "../lost-agents.ts";
import { recordAgents } from "../serving/record-workspace.ts";
import { UsageError } from "../usage-error.ts";
import { chooseWorkspace, confirmedIdentity, recognisedIdentity, settingsAsTheyAre } from "../workspace-choice.ts";

/** `toolyard agents add|list|remove`: bearer tokens for HTTP. */
export function agentsCommand(context: CliContext): Command {
  const agents = newGroup("agents", { summary: "bearer tokens for clients over HTTP", example: "toolyard agents add laptop" });
  const add = newCommand("add", {
    summary: "make a token for an agent of this workspace; it is shown once, and only a hash is kept",
    example: "toolyard agents add laptop",
  })
    .argument("<name>", "letters, digits and . _ -")
    .option("--another", "a further token for an agent that has one; both are good then");
  const list = newCommand("list", { summary: "agents with a token in this workspace", example: "toolyard agents list" });
  const remove = newCommand("remove", {
    summary: "end all tokens of an agent in this workspace, also on running servers",
    example: "toolyard agents remove laptop",
  }).argument("<name>");
  return agents
    .addCommand(withAction(withWorkspace(add), context, (name: string, options: AddOptions) => addAgent(context, name, options)))
    .addCommand(withAction(withWorkspace(list), context, (options: WorkspaceOptions) => listAgents(context, options)))
    .addCommand(
      withAction(withWorkspace(remove), context, (name: string, options: WorkspaceOptions) => removeAgent(context, name, options)),
    );
}

interface AddOptions extends WorkspaceOptions {
  readonly another?: boolean;
}

async function addAgent(context: CliContext, name: string, options: AddOptions): Promise<ExitCode> {
  const { output, config } = context;
  const root = chooseWorkspace(context, options);
  const found = settingsAsTheyAre(root);
  const defined = found.settings.agents;
  refuseUselessName(name, defined);
  // A token would open nothing, and whoever adds one thinks that it does.
  refuseLostAgents(found, folderTrust(root, config.home).hadAgents());
  const identity = await confirmedIdentity(context, root);
  const store = openAgentStore(config.home);
  const before = store.list(identity.id).filter(({ agent }) => agent === name);
  if (options.another !== true) refuseSecondToken(name, before.at(-1)?.createdAt);
  await recordAgents(openTrust(config.home, identity), defined);
  const token = await store.addAgent(name, identity.id);
  const tokens = before.length + 1;
  if (options.json === true) output.json({ agent: name, token, tokens });
  else {
    output.line(token);
    output.note(`This is the token of ${name}; it is not shown again. Clients send it as "Authorization: Bearer <token>".`);
  }
  if (tokens > 1) {
    const remove = `toolyard agents remove${workspaceFlag(context, options)} ${name}`;
    output.note(`${name} has ${tokens} tokens here now, and each is good. All of them end with: ${remove}`);
  }
  return 0;
}

/** Throws {@link UsageError} for a name that no token can be made for, or whose token would open nothing. */
function refuseUselessName(name: string, defined: readonly string[]): void {
  if (defined.length > 0 && !defined.includes(name)) {
    throw new UsageError(
      `No agent "${name}" is defined in toolyard.json, so a token for it would open nothing. Defined: ${defined.join(", ")}.`,
    );
  }
  if (!isAgentName(name)) {
    throw new UsageError(`An agent's name has 1 to 64 of the characters A-Z a-z 0-9 _ . - and nothing else; found "${name}".`);
  }
}

/** Whoever adds an agent again mostly lost its token, and takes the first one for gone. */
function refuseSecondToken(name: string, madeAt: string | undefined): void {
  if (madeAt === undefined) return;
  throw new ToolError(
    "INVALID_REQUEST",
    `${name} has a token here, made ${madeAt.slice(0, 10)}, and it stays good. If it is lost, end it first: toolyard agents remove ${name}\nFor a further one beside it: toolyard agents add ${name} --another`,
  );
}

async function listAgents(context: CliContext, options: WorkspaceOptions): Promise<ExitCode> {
  const { output, config } = context;
  const identity = recognisedIdentity(context, chooseWorkspace(context, options));
  const entries = identity === undefined ? [] : openAgentStore(config.home).list(identity.id);
  if (options.json === true) output.json({ agents: entries.map(({ agent, createdAt }) => ({ agent, createdAt })) });
  else if (entries.length === 0) output.note(`No agent has a token here. toolyard agents add${workspaceFlag(context, options)} NAME`);
  else for (const { agent, createdAt } of entries) output.line(`${agent}  (token made ${createdAt.slice(0, 10)})`);
  return 0;
}

async function removeAgent(context: CliContext, name: string, options: WorkspaceOptions & CommonOptions): Promise<ExitCode> {
  const { output, config } = context;
  const identity = recognisedIdentity(context, chooseWorkspace(context, options));
  const removed = identity === undefined ? 0 : await openAgentStore(config.home).removeAgent(name, identity.id);
  if (removed === 0) throw new ToolError("INVALID_REQUEST", `No agent "${name}" has a token here. toolyard agents list shows which have.`);
  if (options.json === true) output.json({ agent: name, removed });
  else output.line(`Removed ${removed === 1 ? "the token" : `${removed} tokens`} of ${name}; running servers refuse it from now on.`);
  return 0;
}
