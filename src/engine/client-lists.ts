import type { Caller, ListedTool } from "../core/tool.ts";

/** What one client was given. */
export interface ClientList {
  /** Its last list of tools. */
  readonly tools: readonly ListedTool[];
  /** True once it asked anew after a change: it will again. */
  readonly follows: boolean;
}

/** Remembers the list of each client, as it is the one its model works by. Callers without a client id are not told apart, so nothing is remembered of them. */
export interface ClientLists {
  /** Notes that the caller was given this list, and gives it back. */
  told(caller: Caller, tools: readonly ListedTool[]): readonly ListedTool[];
  /** Undefined for a client that never asked, or not for long, and for a caller without a client id. */
  of(caller: Caller): ClientList | undefined;
}

/** Clients that are remembered; the least recently told are forgotten. As many as there may be HTTP sessions, and some. */
const MAX_CLIENTS = 128;

/** An empty memory. */
export function createClientLists(): ClientLists {
  const lists = new Map<string, ClientList>();
  return {
    told: (caller, tools) => {
      const key = keyOf(caller);
      if (key === undefined) return tools;
      const before = lists.get(key);
      const isOther = before !== undefined && signature(before.tools) !== signature(tools);
      lists.delete(key);
      lists.set(key, { tools, follows: before?.follows === true || isOther });
      const [oldest] = lists.keys();
      if (lists.size > MAX_CLIENTS && oldest !== undefined) lists.delete(oldest);
      return tools;
    },
    of: (caller) => {
      const key = keyOf(caller);
      return key === undefined ? undefined : lists.get(key);
    },
  };
}

/** A text that differs when the lists do. The version of a tool stands for its definition: a thousand schemas are a megabyte. */
function signature(tools: readonly ListedTool[]): string {
  return JSON.stringify(
    tools.map(({ status, ...definition }) => {
      const { name, version } = definition;
      return version === undefined ? [definition, status.kind === "broken"] : [name, version, status.kind === "broken"];
    }),
  );
}

function keyOf({ agent, client }: Caller): string | undefined {
  return client === undefined ? undefined : JSON.stringify([agent, client]);
}
