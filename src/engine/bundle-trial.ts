/**
 * Tries a new bundle before any call needs it: its code is run once to its end, without `g`, in a hardened realm, and if it
 * fails there in a plain one. What fails in the first only cannot live in isolation "tool". Nothing it does has an effect.
 */
import { randomUUID } from "node:crypto";
import { ToolError } from "../core/errors.ts";
import type { SandboxCall, SandboxResult } from "../sandbox/sandbox-call.ts";
import type { TrialRun } from "../workspace/bundle/script-bundles.ts";
import type { SandboxHolder } from "./sandbox-holder.ts";

/** Time limit of one trial, in milliseconds. */
const TRIAL_MS = 1_000;

/** Memory of a trial, in MiB; that of the isolates that stand ready. */
const TRIAL_MEMORY_MB = 64;

/** Whose calls trials count as; a name no agent can have, so that they share a process with nobody. */
const TRIAL_AGENT = "toolyard trial";

/** Hides `g` and what belongs to it from the bundle: without a call there is nobody they could work for. */
const TAIL = "\nvar g, fetch, console, setTimeout, clearTimeout;\nfunction $trial() {}";

/** Trials by the sandbox of a runtime. */
export function createBundleTrial(sandbox: Pick<SandboxHolder, "run">): TrialRun {
  return async ({ key, file, source }) => {
    const run = (isolation: "tool" | "call"): Promise<SandboxResult> =>
      sandbox.run(
        trialCall(file, {
          key: `trial ${isolation} ${key}`,
          source: source + TAIL,
          file,
          entry: "$trial",
          isolation,
          memoryMb: TRIAL_MEMORY_MB,
        }),
      );
    const hardened = await run("tool");
    if (hardened.kind !== "error" || hardened.error.code !== "SCRIPT_ERROR") return { kind: "fit" };
    const plain = await run("call");
    if (plain.kind === "error") return { kind: "fit" };
    const { line, column } = hardened.error.data;
    const message = hardened.error.message.replace(/^.*? failed[^:]*(?::\d+:\d+)?: /s, "");
    return { kind: "unfit", message, ...(typeof line === "number" && typeof column === "number" ? { line, column } : {}) };
  };
}

function trialCall(file: string, script: SandboxCall["script"]): SandboxCall {
  return {
    callId: randomUUID(),
    agent: TRIAL_AGENT,
    tool: file,
    script,
    facts: {
      callId: "",
      args: {},
      tool: { name: file, description: "" },
      config: {},
      agent: { id: "", instanceId: "" },
      run: { origin: "cli", startedAt: new Date(0).toISOString(), timeoutMs: TRIAL_MS },
    },
    timeoutMs: TRIAL_MS,
    timeoutHint: "the time limit of a trial",
    signal: new AbortController().signal,
    onStart: () => undefined,
    onHostCall: () => Promise.reject(new ToolError("UNAVAILABLE", "A trial calls nobody.")),
    onNotice: () => undefined,
  };
}
