/**
 * MCP over stdin and stdout: one client, one connection, both protocol generations. Nothing but JSON-RPC goes to stdout.
 * The connection ends with stdin, with stdout, with the parent process, or when its owner says so, and never outlives one of them.
 */
import type { Readable, Writable } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { newId } from "../core/ids.ts";
import type { Caller } from "../core/tool.ts";
import { announceChanges } from "./changes.ts";
import { LineTransport, type StdioEnd } from "./line-transport.ts";
import { buildMcpServer, type McpServing } from "./mcp-server.ts";
import { createWaitingCalls } from "./waiting-calls.ts";

/** How often the parent process is looked for, in milliseconds; with the time to close, all is gone within 2 s. */
const PARENT_CHECK_MS = 500;

/** What a connection over stdio needs. */
export interface StdioOptions extends McpServing {
  readonly caller: Caller;
  readonly stdin: Readable;
  /** In the command: the stream of `claimStdout`, so that nothing else can write between the messages. */
  readonly stdout: Writable;
  /** Ends the connection when aborted (SIGTERM). */
  readonly signal?: AbortSignal;
  /** Process id of the parent, asked twice a second; another than `parentAtStart` means it died. Default: `process.ppid`. */
  readonly parentPid?: () => number;
  /** Parent when the process began, which may have died before this is called. Default: the parent at the call. */
  readonly parentAtStart?: number;
}

/**
 * Serves until the connection is over and says why it is. Calls in flight are cancelled then; what they run in is the
 * caller's to close. Never rejects.
 */
export async function runStdio(options: StdioOptions): Promise<StdioEnd> {
  const { log, stdin, stdout, signal, parentPid = () => process.ppid, parentAtStart = parentPid() } = options;
  // One connection is one client.
  const caller = { ...options.caller, client: newId() };
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<StdioEnd>();
  using waiting = createWaitingCalls();
  using transport = new LineTransport({ stdin, stdout, onEnd });
  const handle = serveStdio(
    async ({ era }) => {
      const connection = { caller, era, withInstructions: true, waiting };
      const server = await buildMcpServer(options, connection);
      announceChanges(server, options, connection);
      return server;
    },
    { transport, onerror: (error) => log.debug("mcp.stdio.error", { error: error.name }) },
  );
  const parentCheck = setInterval(() => {
    if (parentPid() !== parentAtStart) transport.end("parent-gone");
  }, PARENT_CHECK_MS).unref();
  // By the SDK's close, which also tells subscribers that their subscription is over.
  const onAbort = (): void => {
    handle.close().catch(() => transport.end("closed"));
  };
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await ended;
  } finally {
    clearInterval(parentCheck);
    signal?.removeEventListener("abort", onAbort);
    await handle.close();
  }
}
