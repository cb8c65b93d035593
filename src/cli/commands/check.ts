import type { Command } from "commander";
import type { Problem } from "../../core/problem.ts";
import type { ListedTool } from "../../core/tool.ts";
import { visible } from "../../core/visible-text.ts";
import { clientData, clientReports, SERVER_NAME } from "../check/clients.ts";
import { checkProbes } from "../check/list-of-probes.ts";
import { openCliRuntime } from "../cli-runtime.ts";
import { clientTableLines } from "../client-table.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { workspaceFlag } from "../command-wording.ts";
import { firstToolLines } from "../first-tool.ts";
import { runProbes } from "../probe.ts";
import { hasErrors, problemLines, problemReport } from "../problem-view.ts";

/** `toolyard check`: what is wrong with the workspace. */
export function checkCommand(context: CliContext): Command {
  const command = newCommand("check", {
    summary: "what is wrong with the workspace, with file, line and column",
    example: "toolyard check -w my-tools",
    json: 'write {"problems": […], "ready": […], "waiting": […], "setAside": […], "clients": {…}} as JSON',
  });
  return withAction(withWorkspace(command), context, (options: WorkspaceOptions) => check(context, options));
}

async function check(context: CliContext, options: WorkspaceOptions): Promise<ExitCode> {
  await using runtime = await openCliRuntime(context, options);
  const { engine } = runtime;
  await engine.refresh({ kind: "all" });
  const listed = engine.list(runtime.lookingCaller());
  const tools = listed.filter((tool) => tool.role === "tools");
  const clients = clientReports(tools, listed.length - tools.length);
  const checked = await runProbes(checkProbes, { runtime, tools, clients, flag: workspaceFlag(context, options) });
  const problems = checked.flatMap((result) => result.problems);
  const setAside = namesOf(tools.filter((tool) => tool.status.kind === "broken"));
  const ready = namesOf(tools.filter((tool) => tool.status.kind === "ready"));
  const waiting = namesOf(tools.filter((tool) => tool.status.kind === "needs-secret" || tool.status.kind === "limited"));
  const { output } = context;
  if (options.json === true) {
    output.json(problemReport(problems, { ready, waiting, setAside, clients: clientData(clients) }));
  } else {
    for (const line of problemLines(problems, output.paint)) output.line(line);
    // Nobody may use the workspace then, so there is nothing to count.
    if (problems.some(({ code }) => code === "AGENTS_LOST")) return 1;
    if (problems.length > 0) output.line();
    const table = clientTableLines(clients, SERVER_NAME, output.paint);
    for (const line of table) output.line(line);
    if (table.length > 0) output.line();
    if (tools.length === 0) for (const line of firstToolLines(context, options, runtime)) output.line(line);
    else output.line(summary({ ready, waiting, setAside }, problems));
  }
  return hasErrors(problems) ? 1 : 0;
}

/** Names of tools by how they are. */
interface Counts {
  readonly ready: readonly string[];
  readonly waiting: readonly string[];
  readonly setAside: readonly string[];
}

function namesOf(tools: readonly ListedTool[]): readonly string[] {
  return tools.map((tool) => tool.name);
}

function summary({ ready, waiting, setAside }: Counts, problems: readonly Problem[]): string {
  const count = ready.length === 1 ? "1 tool ready" : `${ready.length} tools ready`;
  const rest = [
    ...(waiting.length > 0 ? [`${waiting.length} waiting for a secret or for trust (${waiting.map(visible).join(", ")})`] : []),
    ...(setAside.length > 0 ? [`${setAside.length} set aside (${setAside.map(visible).join(", ")})`] : []),
  ];
  const hasOthers = setAside.length > 0 && ready.length + waiting.length > 0;
  const ending = hasOthers ? " The others keep working." : problems.length === 0 ? " Nothing to mend." : "";
  return `${[count, ...rest].join(", ")}.${ending}`;
}
