/** Log lines of scripts as messages to the client, never to one that did not ask for them. */
import { type LoggingLevel, type Server, type ServerContext, specTypeSchemas } from "@modelcontextprotocol/server";
import { messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { LogLine } from "../core/tool.ts";
import type { Era } from "./call-result.ts";
import { LOG_LEVELS } from "./request-meta.ts";

/** Sends one line to the client of a request; does nothing for a client that did not ask for this level. Never throws. */
export type ClientLog = (context: ServerContext, line: LogLine) => void;

/**
 * Makes the log of one connection. A client up to 2025-11-25 asks by `logging/setLevel` for all calls that follow; one of
 * 2026-07-28 with each request. Without being asked the protocol lets a server of 2025 send what it likes: every line of
 * a script, then, would be something that a person's client has to show or to hide. Call it before the server is connected.
 */
export function createClientLog(server: Server, era: Era, log: Log): ClientLog {
  let least: LoggingLevel | undefined;
  if (era === "legacy") {
    // In place of the SDK's own, which takes a client that asked for nothing as one that asked for everything. With a schema
    // given, a level that there is not is answered with -32602 (2025-11-25, logging, error handling), otherwise with -32603.
    server.setRequestHandler("logging/setLevel", { params: specTypeSchemas.SetLevelRequestParams }, ({ level }) => {
      least = level;
      return {};
    });
  }
  return ({ mcpReq }, { level, text }) => {
    const wireLevel = level === "warn" ? "warning" : level;
    if (era === "legacy" && (least === undefined || LOG_LEVELS.indexOf(wireLevel) < LOG_LEVELS.indexOf(least))) return;
    mcpReq.log(wireLevel, text, "script").catch((error: unknown) => log.debug("mcp.log.failed", { error: messageOf(error) }));
  };
}
