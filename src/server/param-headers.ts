/**
 * Arguments that a schema names by `x-mcp-header` come twice over HTTP, in the body and as `Mcp-Param-*` headers for what stands
 * in front of the server. The two MUST agree, and the server has to look (MCP 2026-07-28, Streamable HTTP; SEP-2243).
 */
import { type Implementation, McpServer, type ServerOptions } from "@modelcontextprotocol/server";
import type { Caller } from "../core/tool.ts";
import { findByName } from "../core/tool-name.ts";
import type { Engine } from "../engine/engine.ts";
import { type Expose, exposedTools } from "./expose.ts";

/** Headers of that kind, in lower case. */
export const PARAM_HEADER_PREFIX = "mcp-param-";

/** Whose tools are called, and which of them are shown. */
export interface ParamHeaderSettings {
  readonly engine: Engine;
  readonly expose: Expose;
  readonly caller: Caller;
}

/**
 * The server of one HTTP request, with the SDK's own check of those headers: it compares them for its high-level server only,
 * which it asks for a tool's schema as listed. So this one is of that kind, has no tools of its own, and knows ours.
 */
export class ParamHeaderServer extends McpServer {
  readonly #settings: ParamHeaderSettings;

  constructor(info: Implementation, options: ServerOptions, settings: ParamHeaderSettings) {
    super(info, options);
    this.#settings = settings;
  }

  /** The schema by which the client has made its headers; undefined for a tool that it was not shown. */
  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    const { engine, expose, caller } = this.#settings;
    const tool = findByName(exposedTools(engine.look(caller), expose), name, (listed) => listed);
    return tool === undefined ? undefined : engine.published(tool).parameters.published;
  }
}
