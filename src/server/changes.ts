/** Tells clients what changed: lists of tools, prompts and resources, and resources they subscribed to. */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, type Server } from "@modelcontextprotocol/server";
import { messageOf } from "../core/errors.ts";
import type { OfferSource } from "../core/offers.ts";
import type { Caller } from "../core/tool.ts";
import type { Engine } from "../engine/engine.ts";
import type { McpConnection, McpServing } from "./mcp-server.ts";
import { versionOf } from "./resources.ts";

/** Resources one connection may subscribe to. */
const MAX_SUBSCRIPTIONS = 200;

/**
 * Tells the client of each change of its lists, from the end of its handshake until its connection closes. 2026-07-28
 * clients get it where they subscribed. Call it once, before the server is connected.
 */
export function announceChanges(server: Server, { engine, log }: McpServing, { caller, era }: Pick<McpConnection, "caller" | "era">): void {
  const changes = watchOffers(() => engine.offers(caller));
  const updated = era === "legacy" ? serveSubscriptions(server, engine, caller) : undefined;
  const send = (notice: Promise<void>): void => {
    notice.catch((error: unknown) => log.debug("mcp.listChanged.failed", { error: messageOf(error) }));
  };
  const announce = (): void => {
    const changed = changes();
    send(server.sendToolListChanged());
    if (changed.prompts) send(server.sendPromptListChanged());
    if (changed.resources) send(server.sendResourceListChanged());
    for (const uri of updated?.() ?? changed.updated) send(server.sendResourceUpdated({ uri }));
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

/** Takes subscriptions of a connection; the function gives those whose resources are no longer what they were. */
function serveSubscriptions(server: Server, engine: Engine, caller: Caller): () => readonly string[] {
  const subscribed = new Map<string, string | undefined>();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    await engine.refresh({ kind: "list" });
    const version = versionOf(engine, caller, uri);
    if (version === undefined) throw new ResourceNotFoundError(uri, "There is no such resource here, or it never changes.");
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

/** What changed of the prompts and resources between two moments. */
export interface OfferChanges {
  readonly prompts: boolean;
  readonly resources: boolean;
  /** URIs whose content is another one. */
  readonly updated: readonly string[];
}

/** Looks at prompts and resources; each look gives what changed since the one before. */
export function watchOffers(offers: () => OfferSource): () => OfferChanges {
  let before = look(offers());
  return () => {
    const now = look(offers());
    const changes = {
      prompts: now.prompts !== before.prompts,
      resources: now.resources !== before.resources,
      updated: [...now.versions]
        .filter(([uri, version]) => before.versions.has(uri) && before.versions.get(uri) !== version)
        .map(([uri]) => uri),
    };
    before = now;
    return changes;
  };
}

interface Look {
  readonly prompts: string;
  readonly resources: string;
  readonly versions: ReadonlyMap<string, string>;
}

function look(offers: OfferSource): Look {
  const resources = offers.resources();
  return {
    prompts: JSON.stringify(offers.prompts()),
    resources: JSON.stringify(resources.map(({ version: _version, size: _size, ...listed }) => listed)),
    versions: new Map(resources.map(({ uri, version }) => [uri, version])),
  };
}
