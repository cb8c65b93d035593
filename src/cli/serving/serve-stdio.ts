import { createLog } from "../../core/log.ts";
import type { Expose } from "../../server/expose.ts";
import { runStdio } from "../../server/stdio.ts";
import { claimStdout } from "../../server/stdout-guard.ts";
import { chooseCaller } from "../agent-choice.ts";
import { openCliRuntime } from "../cli-runtime.ts";
import type { CliContext, ExitCode } from "../command.ts";
import type { ServeOptions } from "../commands/serve.ts";
import { limitationLines } from "./limitations.ts";
import { recordWorkspace } from "./record-workspace.ts";
import { closeWithin, listenForStop } from "./stop-signals.ts";

/** From the end of the connection until everything is closed, in milliseconds; all is gone within 2 s (issue 2, stdio manners). */
const CLOSE_MS = 1_500;

/** Serves one client over stdin and stdout until it leaves, the parent ends, or a signal comes. */
export async function serveOverStdio(context: CliContext, options: ServeOptions, expose: Expose): Promise<ExitCode> {
  // First of all: from here on nothing but MCP reaches stdout.
  using stdout = claimStdout(process.stdout, process.stderr);
  using stop = listenForStop();
  const log = createLog(context.config.logLevel ?? "info");
  const runtime = await openCliRuntime(context, options, { kind: "server", poll: options.poll === true, log });
  try {
    await recordWorkspace(context, runtime, log);
    const caller = chooseCaller(runtime, options, "mcp");
    for (const line of limitationLines(runtime, caller, context, "stdio")) context.output.note(line);
    const { engine } = runtime;
    const end = await runStdio({
      engine,
      expose,
      version: context.version,
      log,
      caller,
      stdin: process.stdin,
      stdout: stdout.stream,
      signal: stop.signal,
      parentAtStart: context.program.parentPid,
    });
    log.info("server.stopped", { reason: end });
    return 0;
  } finally {
    await closeWithin(CLOSE_MS, runtime);
  }
}
