import type { JsonObject } from "../core/json.ts";
import type { Ask } from "../engine/workspace-guard.ts";
import type { TrustEntry } from "../policy/trust-store.ts";
import { visibleName } from "./terminal-text.ts";

/** Something that is trusted, with what is known of it. */
export interface TrustedEntry {
  readonly entry: TrustEntry;
  /** When a person said so, in milliseconds since 1970. */
  readonly trustedAtMs: number;
  /** False if the workspace does not ask for it any more; it would be in force again if it did. */
  readonly isAskedFor: boolean;
}

/** Lines for what a workspace asks for: what it means, where it stands, and which tool it is for. */
export function askLines(asks: readonly Ask[]): string[] {
  const width = Math.max(0, ...asks.map((ask) => visibleName(ask.about).length));
  return asks.map((ask) => `  ${visibleName(ask.about).padEnd(width)}   ${placeOf(ask)}(tool ${visibleName(ask.entry.tool)})`);
}

/** One of them as plain JSON. */
export function askData({ entry, about, isTrusted }: Ask): JsonObject {
  const { kind, tool, value } = entry;
  return { kind, tool, value, about, isTrusted };
}

/** Lines for what is trusted: kind, tool and value as `--kind`, `--tool` and `--value` take them. */
export function trustedLines(trusted: readonly TrustedEntry[]): string[] {
  const kindWidth = Math.max(0, ...trusted.map(({ entry }) => entry.kind.length));
  const toolWidth = Math.max(0, ...trusted.map(({ entry }) => visibleName(entry.tool).length));
  return trusted.map(({ entry, trustedAtMs, isAskedFor }) => {
    const since = new Date(trustedAtMs).toISOString().slice(0, 10);
    const note = isAskedFor ? `since ${since}` : `since ${since}, not asked for any more`;
    return `  ${entry.kind.padEnd(kindWidth)}  ${visibleName(entry.tool).padEnd(toolWidth)}  ${visibleName(entry.value)}  (${note})`;
  });
}

/** One of them as plain JSON. */
export function trustedData({ entry, trustedAtMs, isAskedFor }: TrustedEntry): JsonObject {
  const { kind, tool, value } = entry;
  return { kind, tool, value, trustedAt: new Date(trustedAtMs).toISOString(), isAskedFor };
}

function placeOf({ place }: Ask): string {
  if (place.kind === "none") return "";
  return place.kind === "file" ? `${visibleName(place.file)}   ` : `${visibleName(place.file)}:${place.line}   `;
}
