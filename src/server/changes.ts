/** Tells clients what changed: lists of tools, prompts and resources, and resources they subscribed to. */
import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { messageOf } from "../core/errors.ts";
import { shownName } from "../core/text.ts";
import type { Caller, ListedTool } from "../core/tool.ts";
import type { Engine } from "../engine/engine.ts";
import { refuseDenied } from "./denied.ts";
import { type Expose, exposedTools } from "./expose.ts";
import type { McpConnection, McpServing } from "./mcp-server.ts";
import { notFoundError, setAsideTool, versionOf } from "./resources.ts";
import { setAsideError } from "./set-aside.ts";

/** Resources one connection may subscribe to. */
const MAX_SUBSCRIPTIONS = 200;

/**
 * Tells the client of each change of its lists, from the end of its handshake until its connection closes. 2026-07-28
 * clients get it where they subscribed. Call it once, before the server is connected.
 */
export function announceChanges(server: Server, serving: McpServing, { caller, era }: Pick<McpConnection, "caller" | "era">): void {
  const { engine, log } = serving;
  const changes = watchLists(serving, caller);
  const updated = era === "legacy" ? serveSubscriptions(server, engine, caller) : undefined;
  const send = (notice: Promise<void>): void => {
    notice.catch((error: unknown) => log.debug("mcp.listChanged.failed", { error: messageOf(error) }));
  };
  const announce = (): void => {
    const changed = changes();
    if (changed.tools) send(server.sendToolListChanged());
    if (changed.prompts) send(server.sendPromptListChanged());
    if (changed.resources) send(server.sendResourceListChanged());
    for (const uri of updated?.() ?? changed.updated) send(server.sendResourceUpdated({ uri }));
  };
  let stop = (): void => undefined;
  const start = (): void => {
    stop();
    // What changed before the client could ask for a list is nothing to tell it, but what it changes back to later is.
    changes();
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

/** Takes subscriptions of a connection; the function gives those whose resources are no longer what they were. */
function serveSubscriptions(server: Server, engine: Engine, caller: Caller): () => readonly string[] {
  const subscribed = new Map<string, string | undefined>();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    await engine.refresh({ kind: "list" });
    refuseDenied(engine, caller);
    const version = versionOf(engine, caller, uri);
    if (version === undefined) throw notSubscribable(engine, caller, uri);
    if (subscribed.size >= MAX_SUBSCRIPTIONS && !subscribed.has(uri)) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `At most ${MAX_SUBSCRIPTIONS} resources can be subscribed to. Unsubscribe from some.`,
      );
    }
    subscribed.set(uri, version);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
  return () => {
    const changed = [...subscribed.keys()].filter((uri) => versionOf(engine, caller, uri) !== subscribed.get(uri));
    for (const uri of changed) subscribed.set(uri, versionOf(engine, caller, uri));
    return changed;
  };
}

function notSubscribable(engine: Engine, caller: Caller, uri: string): ProtocolError {
  const read = engine.offers(caller).readResource(uri);
  if (read.kind === "broken") return setAsideError("This resource", read.problem, { uri: shownName(uri) });
  return setAsideTool(engine, caller, uri) ?? notFoundError(engine, caller, uri, "There is no such resource here, or it never changes.");
}

/** What changed of the lists between two moments. */
export interface ListChanges {
  /** A tool that is shown, or its script, is another one; or there are others. */
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  /** URIs whose content is another one. */
  readonly updated: readonly string[];
}

/** Looks at all lists of a caller, without one at those of everybody; each look gives what changed since the one before. */
export function watchLists({ engine, expose }: Pick<McpServing, "engine" | "expose">, caller?: Caller): () => ListChanges {
  let before = look(engine, expose, caller);
  return () => {
    const now = look(engine, expose, caller);
    // Without a caller it is not known whose lists are others when somebody else may use the workspace.
    const isOtherAccess = caller === undefined && now.access !== before.access;
    const changes = {
      tools: isOtherAccess || areOtherTools(before.tools, now.tools),
      prompts: isOtherAccess || now.prompts !== before.prompts,
      resources: isOtherAccess || now.resources !== before.resources,
      updated: [...now.versions]
        .filter(([uri, version]) => before.versions.has(uri) && before.versions.get(uri) !== version)
        .map(([uri]) => uri),
    };
    before = now;
    return changes;
  };
}

interface Look {
  readonly access: string;
  readonly tools: readonly ListedTool[];
  readonly prompts: string;
  readonly resources: string;
  readonly versions: ReadonlyMap<string, string>;
}

function look(engine: Engine, expose: Expose, caller: Caller | undefined): Look {
  const offers = engine.offers(caller);
  const resources = offers.resources();
  return {
    access: engine.access(),
    tools: exposedTools(engine.look(caller), expose),
    prompts: JSON.stringify(offers.prompts()),
    resources: JSON.stringify(resources.map(({ version: _version, size: _size, ...listed }) => listed)),
    versions: new Map(resources.map(({ uri, version }) => [uri, version])),
  };
}

function areOtherTools(before: readonly ListedTool[], now: readonly ListedTool[]): boolean {
  return before.length !== now.length || now.some((tool, index) => isOtherTool(before[index], tool));
}

/** The version of a tool stands for its definition: a thousand schemas are a megabyte, and this is asked for each client. */
function isOtherTool(before: ListedTool | undefined, now: ListedTool): boolean {
  if (before === undefined || before.name !== now.name || before.version !== now.version) return true;
  if (before.limits?.resultCharacters !== now.limits?.resultCharacters) return true;
  return now.version === undefined && contentOf(before) !== contentOf(now);
}

function contentOf({ title, description, parameters, output, annotations }: ListedTool): string {
  return JSON.stringify([title, description, parameters, output, annotations]);
}
