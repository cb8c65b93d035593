/** A time limit on code that does not give way: checking a value against a schema is one long computation. */
import { createContext, Script } from "node:vm";

/**
 * Longest check of one value, in milliseconds. Real ones take under 5; a regular expression that backtracks, a format or
 * `uniqueItems` over a long list could take hours, and the server stands still meanwhile.
 */
export const MAX_CHECK_MS = 250;

/** What came of a computation. `starved`: it was stopped, but the machine had given it less than half of the time. */
export type TimedOutcome<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "too-long" | "starved" };

/** Runs computations one at a time, each within its limit. */
export interface TimeLimiter {
  /**
   * Runs `compute` for at most `limitMs` milliseconds of wall clock (at least 1). It is stopped wherever it is, inside a
   * regular expression too, so what it was working on must be thrown away. Throws what `compute` throws. Costs about 0.3 ms.
   */
  run<T>(compute: () => T, limitMs: number): TimedOutcome<T>;
}

/** Makes a limiter; its context takes 1 ms and is made at first use. */
export function createTimeLimiter(): TimeLimiter {
  let made: { readonly context: { compute?: () => void }; readonly script: Script } | undefined;
  return {
    run(compute, limitMs) {
      made ??= { context: createContext({}), script: new Script("compute()") };
      const { context, script } = made;
      let outcome: TimedOutcome<ReturnType<typeof compute>> = { kind: "too-long" };
      context.compute = () => {
        outcome = { kind: "done", value: compute() };
      };
      const before = process.threadCpuUsage();
      try {
        // The only way Node has to stop a computation in its own thread; V8 looks at the stop signal while a regular expression backtracks.
        script.runInContext(context, { timeout: Math.max(1, Math.ceil(limitMs)) });
      } catch (error) {
        if (!isTimeout(error)) throw error;
        const { user, system } = process.threadCpuUsage(before);
        if ((user + system) / 1_000 < limitMs / 2) outcome = { kind: "starved" };
      } finally {
        delete context.compute;
      }
      return outcome;
    },
  };
}

/** The error is made inside the context, so it is no `Error` of ours. */
function isTimeout(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
