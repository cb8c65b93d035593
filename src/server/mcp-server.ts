/**
 * The engine as an MCP server: tools, prompts, resources, completion and instructions, for both protocol generations. Nothing here decides or runs anything; every failure of a tool becomes a result with `isError`.
 */
import { CLIENT_INFO_META_KEY, type Implementation, Server, type ServerContext, type ServerOptions } from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { cutText } from "../core/text.ts";
import type { Caller } from "../core/tool.ts";
import { findByName, type ToolNames } from "../core/tool-name.ts";
import type { Engine } from "../engine/engine.ts";
import { type Era, LAST_VERSION, toMcpResult } from "./call-result.ts";
import { createClientLog } from "./client-log.ts";
import { complete } from "./completion.ts";
import { refuseDenied } from "./denied.ts";
import { cannotAskError } from "./elicitation.ts";
import { type Expose, exposedTools } from "./expose.ts";
import { instructionsText } from "./instructions.ts";
import { ParamHeaderServer } from "./param-headers.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { listResources, listTemplates, readResource } from "./resources.ts";
import { answerCall } from "./tool-calls.ts";
import { toMcpTool } from "./tool-list.ts";
import { createWaitingCalls, type WaitingCalls } from "./waiting-calls.ts";
import { argumentsAsWritten } from "./wire-message.ts";

/** What all connections of a server share. */
export interface McpServing {
  readonly engine: Engine;
  readonly expose: Expose;
  /** Of the program, as shown to clients. */
  readonly version: string;
  readonly log: Log;
  /** Milliseconds between heartbeats of progress. For tests; default `HEARTBEAT_MS`. */
  readonly heartbeatMs?: number;
}

/** One connection (stdio, or a session over HTTP), or one request of 2026-07-28 over HTTP. */
export interface McpConnection {
  readonly caller: Caller;
  readonly era: Era;
  /** False leaves the instructions out, for requests that never show them. */
  readonly withInstructions: boolean;
  /** Calls that wait for a person; shared by all requests of 2026-07-28 that may bring an answer. Default: of this server alone. */
  readonly waiting?: WaitingCalls;
}

/** What every server offers; lists come and go with the workspace. */
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
} as const;

/** Longest text by which a client is told from others, in UTF-16 units. */
const MAX_CLIENT_CHARACTERS = 500;

/** Makes the server object of one connection. The SDK closes it with its transport. */
export async function buildMcpServer(serving: McpServing, connection: McpConnection): Promise<Server> {
  const { waiting = createWaitingCalls(), withInstructions, caller } = connection;
  const instructions = withInstructions ? { instructions: await currentInstructions(serving, caller) } : {};
  // The low-level server: users' schemas are raw JSON Schema, and the high-level one loses the whole list over a single bad tool.
  const server = new Server(identity(serving), { ...optionsFor(waiting), ...instructions });
  return equip(server, serving, { ...connection, waiting });
}

/** The same for a `tools/call` of 2026-07-28 over HTTP, where headers repeat arguments and have to agree with them. */
export function buildHeaderCheckedServer(serving: McpServing, connection: McpConnection): ParamHeaderServer {
  const { waiting = createWaitingCalls(), caller } = connection;
  const checked = new ParamHeaderServer(identity(serving), optionsFor(waiting), { ...serving, caller });
  equip(checked.server, serving, { ...connection, waiting });
  return checked;
}

function identity({ version }: McpServing): Implementation {
  return { name: "toolyard", title: "Toolyard", version };
}

function optionsFor({ codec }: WaitingCalls): ServerOptions {
  return { capabilities: CAPABILITIES, requestState: { verify: codec.verify } };
}

function equip(server: Server, serving: McpServing, connection: Required<McpConnection>): Server {
  server.onerror = (error) => serving.log.debug("mcp.error", { error: error.name });
  serveTools(server, serving, connection);
  serveOffers(server, serving, connection);
  return server;
}

function serveTools(server: Server, serving: McpServing, connection: Required<McpConnection>): void {
  const { era, waiting } = connection;
  const { engine, expose } = serving;
  // Clients check results against the list they were given, so that list decides, not the tool as of now.
  const listedOutputs = new Map<string, JsonObject>();
  let listed: readonly ToolNames[] = [];
  const who = (context: ServerContext): Caller => clientCaller(connection, context);
  const clientLog = createClientLog(server, era, serving.log);
  server.setRequestHandler("tools/list", async (_request, context) => {
    await engine.refresh({ kind: "list" });
    const tools = exposedTools(engine.list(who(context)), expose);
    listed = tools;
    listedOutputs.clear();
    const written = tools.map((tool) => {
      const schemas = engine.published(tool);
      if (schemas.output?.published !== undefined) listedOutputs.set(tool.name, schemas.output.published);
      return toMcpTool(tool, schemas);
    });
    return { tools: written };
  });
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name } = request.params;
    const args = argumentsAsWritten(request.params.arguments, context.mcpReq._meta);
    // Some clients call "docs.find" as "docs_find", and still check the result by the schema of "docs.find".
    const output = listedOutputs.get(findByName(listed, name, (tool) => tool)?.name ?? name);
    const end = await answerCall(serving, { caller: who(context), era, name, args, context, server, clientLog, waiting });
    if (end.kind === "question") return end.question;
    if (end.kind === "cannot-ask") throw cannotAskError(end.name);
    const version = server.getNegotiatedProtocolVersion();
    const written = toMcpResult(end.result, {
      era,
      hasOutput: output !== undefined,
      version,
      unreadable: engine.unreadable(connection.caller),
    });
    // A failure is not a value of the output schema, so there is nothing to project.
    return end.result.kind === "ok" ? server.projectCallToolResult(written, output) : written;
  });
}

/** Requests of 2026-07-28 over HTTP have no connection: what tells clients of one agent apart is what each says of itself, if it does. */
function clientCaller({ caller }: McpConnection, { mcpReq }: ServerContext): Caller {
  const info: unknown = caller.client === undefined ? Reflect.get(mcpReq.envelope ?? {}, CLIENT_INFO_META_KEY) : undefined;
  return info === undefined ? caller : { ...caller, client: cutText(JSON.stringify(info), MAX_CLIENT_CHARACTERS) };
}

function serveOffers(server: Server, { engine }: McpServing, { caller, era }: McpConnection): void {
  const fresh = (): Promise<void> => engine.refresh({ kind: "list" });
  server.setRequestHandler("prompts/list", async () => {
    await fresh();
    return listPrompts(engine.offers(caller));
  });
  server.setRequestHandler("prompts/get", async ({ params }, context) => {
    await fresh();
    refuseDenied(engine, caller);
    const { name, arguments: args = {} } = params;
    const version = server.getNegotiatedProtocolVersion() ?? LAST_VERSION[era];
    return await getPrompt(engine.offers(caller), { name, args, context, server, era, version });
  });
  server.setRequestHandler("resources/list", async () => {
    await fresh();
    return await listResources(engine, caller);
  });
  server.setRequestHandler("resources/templates/list", async () => {
    await fresh();
    return listTemplates(engine, caller);
  });
  server.setRequestHandler("resources/read", async ({ params }) => {
    await fresh();
    return await readResource(engine, caller, params.uri);
  });
  server.setRequestHandler("completion/complete", async ({ params }) => {
    await fresh();
    return await complete(engine, caller, params);
  });
}

async function currentInstructions({ engine, expose }: McpServing, caller: Caller): Promise<string> {
  await engine.refresh({ kind: "list" });
  const denied = engine.denial(caller);
  if (denied !== undefined) return denied;
  return instructionsText(engine.list(caller), expose, engine.problems(caller));
}
