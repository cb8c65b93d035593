import { ToolError } from "../core/errors.ts";
import { wellFormed } from "../core/text.ts";
import type { SandboxCall } from "./sandbox-call.ts";

/** TIMEOUT: which limit, where it is set, and what the script was doing with the server. */
export function timeoutError(
  call: SandboxCall,
  { hostCalls, pending }: { readonly hostCalls: number; readonly pending: readonly string[] },
): ToolError {
  const made = hostCalls === 0 ? "" : ` It had made ${count(hostCalls, "host call")}, ${pending.length} still unanswered.`;
  const limit = durationText(call.timeoutMs);
  return new ToolError(
    "TIMEOUT",
    `Tool "${call.tool}" ran past its limit of ${limit} (${call.timeoutHint}).${made} Raise the limit, or make the script do less.`,
    { data: { limitMs: call.timeoutMs, hostCalls, unanswered: [...new Set(pending)] } },
  );
}

/** CANCELLED: by the caller, or by a server that stops. */
export function cancelledError(call: Pick<SandboxCall, "tool">): ToolError {
  return new ToolError("CANCELLED", `The call of tool "${call.tool}" was cancelled. Requests it had under way were aborted.`);
}

/** OUT_OF_MEMORY: which limit, and where it is set. */
export function memoryError({ tool, script }: Pick<SandboxCall, "tool" | "script">): ToolError {
  return new ToolError(
    "OUT_OF_MEMORY",
    `Tool "${tool}" used more than its ${script.memoryMb} MiB of memory ("memoryMb" of the limits). Work on smaller parts, or raise the limit.`,
    { data: { limitMb: script.memoryMb } },
  );
}

/** SANDBOX_CRASHED: `reason` completes "The sandbox process …". */
export function crashError({ tool }: Pick<SandboxCall, "tool">, reason: string): ToolError {
  return new ToolError(
    "SANDBOX_CRASHED",
    `The sandbox process ${reason} during the call of tool "${tool}". The call was not repeated, since its requests may have had effects; call again if that is safe.`,
  );
}

/** BUSY: `reason` is a whole sentence; the same call may work after the time. */
export function busyError(reason: string, retryAfterMs: number): ToolError {
  return new ToolError("BUSY", `${reason} Try again in ${durationText(retryAfterMs)}.`, { data: { retryAfterMs } });
}

/** `5 s`, `1.5 s`, `250 ms`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)} ms`;
  return `${Math.round(ms / 100) / 10} s`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

/** Later lines of an error of the host are for people with its source, and may hold paths of this machine. */
export function firstLine(text: string): string {
  return wellFormed(text.split("\n", 1)[0] ?? "").replace(/\.$/, "");
}
