import { silentLog } from "../../core/log.ts";
import type { Problem } from "../../core/problem.ts";
import { openRuntime } from "../../engine/runtime.ts";
import { DEFAULT_AGENT } from "../agent-choice.ts";
import type { Probe } from "../probe.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** The sandbox starts, runs a script, stops one that loops, and runs the next. */
export const sandboxProbe: Probe<DoctorContext> = {
  name: "sandbox",
  about: "the sandbox starts, and stops a script that loops",
  code: "SANDBOX",
  run: async ({ sample }) => {
    await using runtime = await openRuntime({
      root: sample.root,
      home: sample.home,
      key: { keychain: false },
      poll: false,
      log: silentLog,
      warmUp: true,
    });
    const caller = { agent: DEFAULT_AGENT, origin: "cli" } as const;
    for (const [name, expected] of [
      ["answer", "ok"],
      ["loop", "TIMEOUT"],
      ["answer", "ok"],
    ] as const) {
      const result = await runtime.engine.call(caller, { name, args: {}, signal: AbortSignal.timeout(30_000) });
      const outcome = result.kind === "ok" ? "ok" : result.code;
      if (outcome !== expected) return [finding(name, expected, result.kind === "ok" ? "ok" : `${result.code}: ${result.message}`)];
    }
    const status = await runtime.sandboxStatus();
    return status?.hosts.every(({ isConfined }) => isConfined) === true ? [] : [UNCONFINED];
  },
};

/** Scripts run, so it is no error; but it is not what was found possible here. */
const UNCONFINED: Problem = {
  code: "SANDBOX",
  severity: "warning",
  place: { kind: "none" },
  message:
    'Sandbox processes do not start with what Linux can take from them, so they run without it. The log of "toolyard serve" has the reason before "sandbox.host.unconfined".',
};

function finding(name: string, expected: string, found: string): Problem {
  return {
    code: "SANDBOX",
    severity: "error",
    place: { kind: "none" },
    message: `The script "${name}" of the trial ended with ${found}; ${expected} was expected.`,
  };
}
