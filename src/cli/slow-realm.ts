import type { FindingCode } from "../core/problem.ts";
import type { CallRecord } from "../engine/record.ts";
import type { WorkspaceTool } from "../workspace/workspace-tool.ts";

/** CPU time of one call, in milliseconds, above which a hardened realm costs more than the new one that it spares (DESIGN 3). */
const SLOW_REALM_MS = 20;

/**
 * What to say of a call that used much CPU in isolation "tool", whose frozen realm runs regular expressions and some array
 * methods several times slower; undefined where there is nothing to say.
 */
export function slowRealmHint({ tool: name, cpuMs = 0 }: CallRecord, tools: readonly WorkspaceTool[]): string | undefined {
  const tool = tools.find((entry) => entry.name === name);
  if (tool?.isolation !== "tool" || cpuMs <= SLOW_REALM_MS) return undefined;
  const code: FindingCode = "SLOW_REALM";
  return `${code}  ${name} used ${Math.round(cpuMs)} ms of CPU in isolation "tool", where some code runs several times slower. Try "isolation": "call" in its entry in tools.json, and keep what is quicker.`;
}
