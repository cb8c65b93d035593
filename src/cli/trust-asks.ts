import type { JsonObject } from "../core/json.ts";
import type { Ask } from "../engine/workspace-guard.ts";
import { visible } from "./terminal-text.ts";

/** Lines for what a workspace asks for: what it means, where it stands, and which tool it is for. */
export function askLines(asks: readonly Ask[]): string[] {
  const width = Math.max(0, ...asks.map((ask) => visible(ask.about).length));
  return asks.map((ask) => `  ${visible(ask.about).padEnd(width)}   ${placeOf(ask)}(tool ${visible(ask.entry.tool)})`);
}

/** One of them as plain JSON. */
export function askData({ entry, about, isTrusted }: Ask): JsonObject {
  const { kind, tool, value } = entry;
  return { kind, tool, value, about, isTrusted };
}

function placeOf({ place }: Ask): string {
  if (place.kind === "none") return "";
  return place.kind === "file" ? `${visible(place.file)}   ` : `${visible(place.file)}:${place.line}   `;
}
