import { createLog } from "../../core/log.ts";
import { openAgentStore } from "../../policy/agent-store.ts";
import type { Expose } from "../../server/expose.ts";
import { type HttpServer, startHttp } from "../../server/http.ts";
import type { HttpAuth } from "../../server/http-gate.ts";
import { chooseCaller } from "../agent-choice.ts";
import { type CliRuntime, openCliRuntime } from "../cli-runtime.ts";
import type { CliContext, ExitCode } from "../command.ts";
import type { ServeOptions } from "../commands/serve.ts";
import { parseHttpAddress, parsePublicUrl, refuseOpenAddress } from "../http-address.ts";
import { offerCounts, shownOffers } from "../offer-table.ts";
import { toolTableLines, toolTableTitle } from "../tool-table.ts";
import { UsageError } from "../usage-error.ts";
import { workspaceLabel } from "../workspace-choice.ts";
import { limitationLines, servedFlag } from "./limitations.ts";
import { type RecordedWorkspace, recordWorkspace } from "./record-workspace.ts";
import { aborted, closeWithin, listenForStop } from "./stop-signals.ts";

/** How long calls may finish after the first signal, in milliseconds (DESIGN 8). */
const FINISH_MS = 10_000;

/** For everything else to close after that, in milliseconds. */
const CLOSE_MS = 2_000;

/** Serves over HTTP until a signal comes. */
export async function serveOverHttp(context: CliContext, options: ServeOptions, expose: Expose): Promise<ExitCode> {
  const address = parseHttpAddress(options.http ?? "");
  const publicUrl = options.publicUrl === undefined ? {} : { publicUrl: parsePublicUrl(options.publicUrl).origin };
  refuseOpenAddress(address, options);
  if (options.agent !== undefined && options.auth) throw new UsageError("--agent is for stdio: over HTTP the token says who calls.");
  using stop = listenForStop();
  const log = createLog(context.config.logLevel ?? "info");
  const runtime = await openCliRuntime(context, options, { kind: "server", poll: options.poll === true, log });
  try {
    const { engine } = runtime;
    const record = await recordWorkspace(context, runtime, log);
    const auth: HttpAuth = options.auth ? tokenAuth(context, record) : { kind: "none", agent: chooseCaller(runtime, options, "mcp").agent };
    const server = await startHttp({
      ...address,
      ...publicUrl,
      auth,
      engine,
      expose,
      version: context.version,
      log,
      limits: runtime.limits,
    });
    await announce(context, runtime, { server, options, record });
    await aborted(stop.signal);
    await server.close(FINISH_MS);
    return 0;
  } finally {
    await closeWithin(CLOSE_MS, runtime);
  }
}

/** A token counts only in the folder it was made for: one that was moved or copied has to be looked at first. */
function tokenAuth({ config }: CliContext, { id, trust, isAgent }: RecordedWorkspace): HttpAuth {
  const store = openAgentStore(config.home);
  return {
    kind: "token",
    verify: (token) => (trust.state() === "moved" ? undefined : store.verify(token, id)),
    isDefined: isAgent,
  };
}

interface Started {
  readonly server: HttpServer;
  readonly options: ServeOptions;
  readonly record: RecordedWorkspace;
}

async function announce(context: CliContext, runtime: CliRuntime, { server, options, record }: Started): Promise<void> {
  const { output, version } = context;
  const { engine } = runtime;
  const caller = runtime.lookingCaller();
  await engine.refresh({ kind: "list" });
  const tools = engine.list(caller);
  if (options.json === true) {
    const count = tools.filter((tool) => tool.role === "tools").length;
    output.json({
      url: server.url,
      workspace: runtime.root,
      tools: count,
      generation: engine.generation(),
      auth: options.auth ? "token" : "none",
    });
    return;
  }
  const workspace = workspaceLabel(context, runtime.root);
  const offers = offerCounts(shownOffers(engine.offers(caller), runtime.workspace.current().offers, false));
  output.line(toolTableTitle({ version, workspace, tools, offers, generation: engine.generation() }));
  output.line();
  for (const line of toolTableLines(tools, output.paint, servedFlag(context, runtime))) output.line(line);
  output.line();
  for (const line of limitationLines(runtime, caller, context, "HTTP")) output.note(line);
  output.line(`MCP at ${server.url}`);
  output.line(
    options.auth ? tokenHint(context, runtime, record) : "No token is asked for: every program on this machine can call the tools.",
  );
  output.line("Watching for changes. Ctrl-C stops.");
}

function tokenHint(context: CliContext, runtime: CliRuntime, { id }: RecordedWorkspace): string {
  const agents = [
    ...new Set(
      openAgentStore(context.config.home)
        .list(id)
        .map((entry) => entry.agent),
    ),
  ];
  if (agents.length === 0) return `No agent has a token yet, so nobody gets in: toolyard agents add${servedFlag(context, runtime)} NAME`;
  return `Clients send the token of an agent (${agents.join(", ")}) as "Authorization: Bearer …".`;
}
