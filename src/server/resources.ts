/** `resources/list`, `resources/templates/list` and `resources/read`: files of the workspace, definitions of tools, kept results. */
import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { ToolError } from "../core/errors.ts";
import type { Caller, ListedTool } from "../core/tool.ts";
import { findByName } from "../core/tool-name.ts";
import type { Engine } from "../engine/engine.ts";
import { parseResultUri, resultUri } from "../results/hints.ts";
import { setAsideError } from "./set-aside.ts";
import { toMcpTool } from "./tool-list.ts";

/** URI of the definition of a tool, as a template. */
export const TOOL_TEMPLATE = "toolyard://tools/{name}";

/** URI of a kept result, as a template. */
export const RESULT_TEMPLATE = "toolyard://results/{id}";

const TOOL_PREFIX = "toolyard://tools/";

/** What can be read without filling in a template. Definitions of tools are not among it: tools/list gives them all. */
export async function listResources(engine: Engine, caller: Caller): Promise<ListResourcesResult> {
  const files = engine
    .offers(caller)
    .resources()
    .filter(({ kind }) => kind === "file");
  const results = await engine.listResults(caller);
  return {
    resources: [
      ...files.map(({ kind: _kind, version: _version, ...resource }) => resource),
      ...results.map(({ id, tool, mimeType, characters, createdAtMs }) => ({
        uri: resultUri(id),
        name: `result-of-${tool}`,
        description: `Whole result of ${tool} of ${new Date(createdAtMs).toISOString()}, ${characters} characters.`,
        mimeType,
      })),
    ],
  };
}

/** Templates: those of the workspace and the server's own two. */
export function listTemplates(engine: Engine, caller: Caller): ListResourceTemplatesResult {
  const templates = engine
    .offers(caller)
    .resources()
    .filter(({ kind }) => kind === "template");
  return {
    resourceTemplates: [
      ...templates.map(({ kind: _kind, version: _version, size: _size, uri, ...template }) => ({ ...template, uriTemplate: uri })),
      {
        uriTemplate: TOOL_TEMPLATE,
        name: "tool",
        description: "Definition of a tool of this workspace as of now.",
        mimeType: "application/json",
      },
      {
        uriTemplate: RESULT_TEMPLATE,
        name: "result",
        description: "A result that was too long to be given whole. ?offset=N&limit=N gives a part, in characters.",
      },
    ],
  };
}

/** The content. Throws `ResourceNotFoundError`, and `ProtocolError` internal error for one that is set aside or cannot be read now. */
export async function readResource(engine: Engine, caller: Caller, uri: string): Promise<ReadResourceResult> {
  if (uri.startsWith(TOOL_PREFIX)) return { contents: [toolContent(engine, findToolByUri(engine, caller, uri), uri)] };
  const result = parseResultUri(uri);
  if (result !== undefined) return { contents: [await resultContent(engine, caller, { uri, ...result })] };
  const read = engine.offers(caller).readResource(uri);
  switch (read.kind) {
    case "text":
      return { contents: [{ uri, mimeType: read.mimeType, text: read.text }] };
    case "bytes":
      return { contents: [{ uri, mimeType: read.mimeType, blob: read.base64 }] };
    case "failed":
      throw new ProtocolError(ProtocolErrorCode.InternalError, `The resource cannot be read now: ${read.message}`, { uri });
    case "broken":
      throw setAsideError("This resource", read.problem, { uri });
    case "unknown":
      throw new ResourceNotFoundError(
        uri,
        "There is no such resource here. resources/list and resources/templates/list give those there are.",
      );
  }
}

/** Text that differs when the content does; undefined for what does not exist or never changes. */
export function versionOf(engine: Engine, caller: Caller, uri: string): string | undefined {
  if (!uri.startsWith(TOOL_PREFIX))
    return engine
      .offers(caller)
      .resources()
      .find((resource) => resource.uri === uri)?.version;
  const { version, name, description, parameters } = findToolByUri(engine, caller, uri) ?? {};
  return version ?? (name === undefined ? undefined : JSON.stringify([name, description, parameters]));
}

/** The tool whose definition a URI of {@link TOOL_TEMPLATE} names; undefined for one that is broken, or that this caller may not see. */
export function findToolByUri(engine: Engine, caller: Caller, uri: string): ListedTool | undefined {
  if (!uri.startsWith(TOOL_PREFIX)) return undefined;
  const working = engine.look(caller).filter((tool) => tool.status.kind !== "broken");
  try {
    return findByName(working, decodeURIComponent(uri.slice(TOOL_PREFIX.length)), (tool) => tool);
  } catch {
    return undefined; // Percent signs that are no encoding name no tool.
  }
}

function toolContent(engine: Engine, tool: ListedTool | undefined, uri: string): ReadResourceResult["contents"][number] {
  if (tool === undefined) throw new ResourceNotFoundError(uri, "There is no tool of this name here.");
  return { uri, mimeType: "application/json", text: JSON.stringify(toMcpTool(tool, engine.published(tool)), null, 2) };
}

async function resultContent(
  engine: Engine,
  caller: Caller,
  { uri, id, range }: { readonly uri: string } & NonNullable<ReturnType<typeof parseResultUri>>,
): Promise<ReadResourceResult["contents"][number]> {
  try {
    const { text, mimeType, nextOffset } = await engine.readResult(caller, id, range);
    // A part of JSON is none.
    const isWhole = nextOffset === undefined && (range.offset ?? 0) === 0;
    return { uri, mimeType: isWhole ? mimeType : "text/plain", text };
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "RESULT_NOT_FOUND") throw error;
    // biome-ignore lint/style/useErrorCause: the SDK's class takes none, and the message has all there is.
    throw new ResourceNotFoundError(uri, error.message);
  }
}
