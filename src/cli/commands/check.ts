import type { Command } from "commander";
import { clientData, clientReports, SERVER_NAME } from "../check/clients.ts";
import { checkProbes } from "../check/list-of-probes.ts";
import { checkedData, checkedLine } from "../check/summary.ts";
import { toolPlaces } from "../check/tool-places.ts";
import { openCliRuntime } from "../cli-runtime.ts";
import { clientTableLines } from "../client-table.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { workspaceFlag } from "../command-wording.ts";
import { firstToolLines } from "../first-tool.ts";
import { hasNoOffers, shownOffers } from "../offer-table.ts";
import { runProbes } from "../probe.ts";
import { hasErrors, problemLines, problemReport } from "../problem-view.ts";

/** `toolyard check`: what is wrong with the workspace. */
export function checkCommand(context: CliContext): Command {
  const command = newCommand("check", {
    summary: "what is wrong with the workspace, with file, line and column",
    example: "toolyard check -w my-tools",
    json: 'write {"problems": […], "ready": […], "waiting": […], "setAside": […], "prompts": {…}, "resources": {…}, "clients": {…}} as JSON',
  });
  return withAction(withWorkspace(command), context, (options: WorkspaceOptions) => check(context, options));
}

async function check(context: CliContext, options: WorkspaceOptions): Promise<ExitCode> {
  await using runtime = await openCliRuntime(context, options);
  const { engine } = runtime;
  await engine.refresh({ kind: "all" });
  const caller = runtime.lookingCaller();
  const listed = engine.list(caller);
  const tools = listed.filter((tool) => tool.role === "tools");
  const clients = clientReports(tools, listed.length - tools.length);
  const { tools: written, settings } = runtime.workspace.current();
  const placeOf = toolPlaces(written, settings.prefix);
  const checked = await runProbes(checkProbes, {
    ...{ runtime, tools, clients, placeOf },
    home: context.config.home,
    flag: workspaceFlag(context, options),
  });
  const problems = checked.flatMap((result) => result.problems);
  const offers = shownOffers(engine.offers(caller), runtime.workspace.current().offers, engine.denial(caller) !== undefined);
  const { output } = context;
  if (options.json === true) {
    output.json(problemReport(problems, { ...checkedData({ tools, offers, problems }), clients: clientData(clients) }));
  } else {
    for (const line of problemLines(problems, output.paint)) output.line(line);
    // Nobody may use the workspace then, so there is nothing to count.
    if (problems.some(({ code }) => code === "AGENTS_LOST")) return 1;
    if (problems.length > 0) output.line();
    const table = clientTableLines(clients, SERVER_NAME, output.paint);
    for (const line of table) output.line(line);
    if (table.length > 0) output.line();
    if (tools.length === 0 && hasNoOffers(offers)) for (const line of firstToolLines(context, options, runtime)) output.line(line);
    else output.line(checkedLine({ tools, offers, problems }));
  }
  return hasErrors(problems) ? 1 : 0;
}
