import type { Command } from "commander";
import { messageOf } from "../../core/errors.ts";
import { type Problem, placedMessage } from "../../core/problem.ts";
import { visible } from "../../core/visible-text.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { withFlag, workspaceFlag } from "../command-wording.ts";
import type { DoctorContext } from "../doctor/doctor-context.ts";
import { doctorProbes } from "../doctor/list-of-probes.ts";
import { makeProbeWorkspace } from "../doctor/probe-workspace.ts";
import { type ProbeResult, runProbes } from "../probe.ts";
import { hasErrors, problemReport } from "../problem-view.ts";
import { UsageError } from "../usage-error.ts";
import { chooseWorkspace } from "../workspace-choice.ts";

/** `toolyard doctor`: what is wrong with this machine. */
export function doctorCommand(context: CliContext): Command {
  const command = newCommand("doctor", {
    summary: "try everything this machine must be able to do, and say what to mend",
    example: "toolyard doctor",
    json: 'write {"problems": […], "fine": […], "notes": {…}} as JSON',
  });
  return withAction(withWorkspace(command), context, (options: WorkspaceOptions) => doctor(context, options));
}

async function doctor(cli: CliContext, options: WorkspaceOptions): Promise<ExitCode> {
  await using sample = await makeProbeWorkspace();
  const results = await runProbes(doctorProbes, { cli, sample, ...(await workspaceFacts(cli, options)) });
  const problems = results.flatMap((result) => result.problems);
  if (options.json === true) {
    const fine = results.filter((result) => result.problems.length === 0).map((result) => result.name);
    const notes = Object.fromEntries(results.flatMap(({ name, note }) => (note === undefined ? [] : [[name, note] as const])));
    cli.output.json(problemReport(problems, { fine, notes }));
  } else for (const line of reportLines(results, cli, workspaceFlag(cli, options))) cli.output.line(line);
  return hasErrors(problems) ? 1 : 0;
}

async function workspaceFacts(cli: CliContext, options: WorkspaceOptions): Promise<Pick<DoctorContext, "root" | "rootProblem">> {
  try {
    return { root: chooseWorkspace(cli, options), rootProblem: undefined };
  } catch (error) {
    // A folder that was named and is none is a mistake of the command, or of the environment; to be in none is no mistake.
    if (options.workspace !== undefined || !(error instanceof UsageError)) throw error;
    if (cli.config.workspace === undefined) return { root: undefined, rootProblem: undefined };
    const rootProblem: Problem = { code: "FILE_MISSING", severity: "warning", place: { kind: "none" }, message: messageOf(error) };
    return { root: undefined, rootProblem };
  }
}

function reportLines(results: readonly ProbeResult[], { output }: CliContext, flag: string): string[] {
  const width = Math.max(...results.map((result) => result.name.length));
  const rows = results.flatMap(({ name, about, problems, note }) => {
    if (note !== undefined) return [`${output.paint("quiet", "info   ")}  ${name.padEnd(width)}  ${visible(note)}`];
    if (problems.length === 0) return [`${output.paint("good", "ok     ")}  ${name.padEnd(width)}  ${about}`];
    return problems.flatMap(({ severity, place, message, mend }) => {
      const word = output.paint(severity === "error" ? "bad" : "warning", severity.padEnd("warning".length));
      const [first = "", ...more] = visible(placedMessage({ place, message })).split("\n");
      const mending = mend === undefined || message.includes(mend) ? [] : [visible(withFlag(mend, flag))];
      return [`${word}  ${name.padEnd(width)}  ${first}`, ...[...more, ...mending].map((line) => " ".repeat(9 + width + 2) + line)];
    });
  });
  return results.every((result) => result.problems.length === 0) ? [...rows, "", "All is well."] : rows;
}
