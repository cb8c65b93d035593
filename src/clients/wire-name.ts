import type { WireNames } from "./client-rule.ts";

/** The name that the model gets of a tool, as the client makes it before any limit is applied. */
export function fullName(tool: string, server: string, { prefix }: WireNames): string {
  return prefix.replaceAll("{server}", server) + tool;
}

/** The name that the model gets in the end. */
export function wireName(tool: string, server: string, names: WireNames): string {
  const full = fullName(tool, server, names);
  const kept = names.kept === undefined ? full : full.replace(outside(names.kept), "_");
  const { cut } = names;
  if (cut === undefined || kept.length <= cut.max) return kept;
  return kept.slice(0, cut.head) + cut.joint + kept.slice(kept.length - cut.tail);
}

/** Every character that is not of a class. */
export function outside(allowed: string): RegExp {
  return new RegExp(`[^${allowed}]`, "g");
}
