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
import { nearestName, shownName } from "../core/text.ts";
import type { Caller, ListedTool } from "../core/tool.ts";
import { findByName } from "../core/tool-name.ts";
import type { Engine } from "../engine/engine.ts";
import { parseResultUri, resultUri } from "../results/hints.ts";
import { refuseDenied } from "./denied.ts";
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

/**
 * The content. Throws `ResourceNotFoundError`, and `ProtocolError`: internal error for one that is set aside or cannot be read
 * now, invalid params for a caller who may use nothing.
 */
export async function readResource(engine: Engine, caller: Caller, uri: string): Promise<ReadResourceResult> {
  refuseDenied(engine, caller);
  if (uri.startsWith(TOOL_PREFIX)) return { contents: [toolContent(engine, caller, uri)] };
  const result = parseResultUri(uri);
  if (result !== undefined) return { contents: [await resultContent(engine, caller, { uri, ...result })] };
  const read = engine.offers(caller).readResource(uri);
  switch (read.kind) {
    case "text":
      return { contents: [{ uri, mimeType: read.mimeType, text: read.text }] };
    case "bytes":
      return { contents: [{ uri, mimeType: read.mimeType, blob: read.base64 }] };
    case "failed":
      throw new ProtocolError(ProtocolErrorCode.InternalError, `The resource cannot be read now: ${read.message}`, { uri: shownName(uri) });
    case "broken":
      throw setAsideError("This resource", read.problem, { uri: shownName(uri) });
    case "unknown":
      throw notFoundError(engine, caller, uri, "There is no such resource here.");
  }
}

/** The error for a URI of nothing that there is, with the nearest one. `what`: a sentence that says so. */
export function notFoundError(engine: Engine, caller: Caller, uri: string, what: string): ResourceNotFoundError {
  const isTool = uri.startsWith(TOOL_PREFIX);
  const uris = isTool
    ? workingTools(engine, caller).map(({ name }) => TOOL_PREFIX + name)
    : engine
        .offers(caller)
        .resources()
        .map((resource) => resource.uri);
  const near = nearestUri(uri, uris);
  const listers = isTool ? "tools/list gives the tools there are." : "resources/list and resources/templates/list give those there are.";
  return new ResourceNotFoundError(shownName(uri), `${what} ${near === undefined ? listers : `Did you mean "${near}"?`}`);
}

/** As for names, but what all URIs of one kind begin with says nothing of how near two are. */
function nearestUri(uri: string, uris: readonly string[]): string | undefined {
  const start = /^[a-z][a-z0-9+.-]*:\/\/(?:tools\/)?/i.exec(uri)?.[0] ?? "";
  const rests = uris.flatMap((other) => (other.startsWith(start) ? [other.slice(start.length)] : []));
  const near = nearestName(uri.slice(start.length), rests);
  return near === undefined ? nearestName(uri, uris) : start + near;
}

/** What is set aside of a URI of {@link TOOL_TEMPLATE}; undefined for any other. */
export function setAsideTool(engine: Engine, caller: Caller, uri: string): ProtocolError | undefined {
  const tool = toolOf(engine.look(caller), uri);
  if (tool?.status.kind !== "broken") return undefined;
  return setAsideError(`The tool "${tool.name}"`, tool.status.problem, { uri: shownName(uri) });
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
  return toolOf(workingTools(engine, caller), uri);
}

function workingTools(engine: Engine, caller: Caller): readonly ListedTool[] {
  return engine.look(caller).filter((tool) => tool.status.kind !== "broken");
}

function toolOf(tools: readonly ListedTool[], uri: string): ListedTool | undefined {
  if (!uri.startsWith(TOOL_PREFIX)) return undefined;
  try {
    return findByName(tools, decodeURIComponent(uri.slice(TOOL_PREFIX.length)), (tool) => tool);
  } catch {
    return undefined; // Percent signs that are no encoding name no tool.
  }
}

function toolContent(engine: Engine, caller: Caller, uri: string): ReadResourceResult["contents"][number] {
  const tool = findToolByUri(engine, caller, uri);
  if (tool === undefined) {
    throw setAsideTool(engine, caller, uri) ?? notFoundError(engine, caller, uri, "There is no tool of this name here.");
  }
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
    throw new ResourceNotFoundError(shownName(uri), error.message);
  }
}
