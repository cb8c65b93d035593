/**
 * The engine as an MCP server: lists, calls, cancellation, progress, instructions and list_changed, for both protocol
 * generations. Nothing here decides or runs anything; every failure of a tool becomes a result with `isError`.
 */
import { Server, type ServerContext } from "@modelcontextprotocol/server";
import { messageOf } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Caller, CallResult, LogLine } from "../core/tool.ts";
import type { Engine } from "../engine/engine.ts";
import { type CallFailure, type Era, toMcpResult } from "./call-result.ts";
import { type Expose, exposedTools, refusalOf } from "./expose.ts";
import { instructionsText } from "./instructions.ts";
import { createProgressSender, type ProgressSender } from "./progress.ts";
import { publishedOutput, toMcpTool } from "./tool-list.ts";

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
}

/** Makes the server object of one connection. The SDK closes it with its transport. */
export async function buildMcpServer(serving: McpServing, connection: McpConnection): Promise<Server> {
  const { engine, expose, version } = serving;
  const instructions = connection.withInstructions ? { instructions: await currentInstructions(serving, connection.caller) } : {};
  // The low-level server: users' schemas are raw JSON Schema, and the high-level one loses the whole list over a single bad tool.
  const server = new Server(
    { name: "toolyard", title: "Toolyard", version },
    { capabilities: { tools: { listChanged: true }, logging: {} }, ...instructions },
  );
  server.onerror = (error) => serving.log.debug("mcp.error", { error: error.name });
  // Clients check results against the list they were given, so that list decides, not the tool as of now.
  const listedOutputs = new Map<string, JsonObject>();
  server.setRequestHandler("tools/list", async () => {
    await engine.refresh({ kind: "list" });
    const tools = exposedTools(engine.list(connection.caller), expose);
    listedOutputs.clear();
    for (const { name, output } of tools) if (output !== undefined) listedOutputs.set(name, publishedOutput(output));
    return { tools: tools.map(toMcpTool) };
  });
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: args } = request.params;
    const output = listedOutputs.get(name);
    const result = await callTool(serving, connection.caller, { name, args, context });
    const target = { era: connection.era, hasOutput: output !== undefined, unreadable: engine.unreadable(connection.caller) };
    const written = toMcpResult(result, target);
    // A failure is not a value of the output schema, so there is nothing to project.
    return result.kind === "ok" ? server.projectCallToolResult(written, output) : written;
  });
  return server;
}

/**
 * Tells the client of each change of the list, from the end of its handshake until its connection closes. 2026-07-28
 * clients get it where they subscribed. Call it once, before the server is connected.
 */
export function announceChanges(server: Server, { engine, log }: McpServing, era: Era): void {
  const announce = (): void => {
    server.sendToolListChanged().catch((error: unknown) => log.debug("mcp.listChanged.failed", { error: messageOf(error) }));
  };
  let stop = (): void => undefined;
  const start = (): void => {
    stop();
    stop = engine.onChange(announce);
  };
  // Before "initialized" a server may send nothing but pings and log messages (2025-11-25, lifecycle).
  if (era === "legacy") server.oninitialized = start;
  else start();
  const previous = server.onclose;
  server.onclose = () => {
    stop();
    previous?.();
  };
}

async function currentInstructions({ engine, expose }: McpServing, caller: Caller): Promise<string> {
  await engine.refresh({ kind: "list" });
  return instructionsText(engine.list(caller), expose, engine.problems(caller));
}

interface IncomingCall {
  readonly name: string;
  readonly args: unknown;
  readonly context: ServerContext;
}

async function callTool(
  { engine, expose, log, heartbeatMs }: McpServing,
  caller: Caller,
  call: IncomingCall,
): Promise<CallResult | CallFailure> {
  const { name, args, context } = call;
  const refusal = refusalOf(name, expose);
  if (refusal !== undefined) return { kind: "error", code: "TOOL_NOT_FOUND", message: refusal };
  using progress = progressOf(context, log, heartbeatMs);
  return await engine.call(caller, {
    name,
    args,
    signal: context.mcpReq.signal,
    onLog: (line) => sendLog(log, context, line),
    ...(progress === undefined ? {} : { onProgress: progress.send }),
  });
}

function progressOf({ mcpReq }: ServerContext, log: Log, heartbeatMs: number | undefined): ProgressSender | undefined {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return undefined;
  const notify = (params: object): void => {
    mcpReq
      .notify({ method: "notifications/progress", params: { ...params } })
      .catch((error: unknown) => log.debug("mcp.progress.failed", { error: messageOf(error) }));
  };
  return createProgressSender(token, notify, heartbeatMs === undefined ? {} : { heartbeatMs });
}

function sendLog(log: Log, { mcpReq }: ServerContext, { level, text }: LogLine): void {
  mcpReq
    .log(level === "warn" ? "warning" : level, text, "script")
    .catch((error: unknown) => log.debug("mcp.log.failed", { error: messageOf(error) }));
}
