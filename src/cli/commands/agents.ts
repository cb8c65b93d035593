import type { Command } from "commander";
import { ToolError } from "../../core/errors.ts";
import { openAgentStore } from "../../policy/agent-store.ts";
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
import { recordAgents } from "../serving/record-workspace.ts";
import { chooseWorkspace, confirmedIdentity, definedAgents, recognisedIdentity } from "../workspace-choice.ts";

/** `toolyard agents add|list|remove`: bearer tokens for HTTP. */
export function agentsCommand(context: CliContext): Command {
  const agents = newGroup("agents", { summary: "bearer tokens for clients over HTTP", example: "toolyard agents add laptop" });
  const add = newCommand("add", {
    summary: "make a token for an agent of this workspace; it is shown once, and only a hash is kept",
    example: "toolyard agents add laptop",
  }).argument("<name>", "letters, digits and . _ -");
  const list = newCommand("list", { summary: "agents with a token in this workspace", example: "toolyard agents list" });
  const remove = newCommand("remove", {
    summary: "end all tokens of an agent in this workspace, also on running servers",
    example: "toolyard agents remove laptop",
  }).argument("<name>");
  return agents
    .addCommand(withAction(withWorkspace(add), context, (name: string, options: WorkspaceOptions) => addAgent(context, name, options)))
    .addCommand(withAction(withWorkspace(list), context, (options: WorkspaceOptions) => listAgents(context, options)))
    .addCommand(
      withAction(withWorkspace(remove), context, (name: string, options: WorkspaceOptions) => removeAgent(context, name, options)),
    );
}

async function addAgent(context: CliContext, name: string, options: WorkspaceOptions): Promise<ExitCode> {
  const { output, config } = context;
  const root = chooseWorkspace(context, options);
  const defined = definedAgents(root);
  if (defined.length > 0 && !defined.includes(name)) {
    throw new ToolError(
      "INVALID_REQUEST",
      `No agent "${name}" is defined in toolyard.json, so a token for it would open nothing. Defined: ${defined.join(", ")}.`,
    );
  }
  const identity = await confirmedIdentity(context, root);
  await recordAgents(openTrust(config.home, identity), defined);
  const token = await openAgentStore(config.home).addAgent(name, identity.id);
  if (options.json === true) output.json({ agent: name, token });
  else {
    output.line(token);
    output.note(`This is the token of ${name}; it is not shown again. Clients send it as "Authorization: Bearer <token>".`);
  }
  return 0;
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
