import type { Command } from "commander";
import type { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/visible-text.ts";
import { missingProblems, storedNames } from "../../check/missing-secrets.ts";
import { bindingProblems } from "../../check/secret-bindings.ts";
import { valueProblems } from "../../check/secret-values.ts";
import { bindingContext, knownId, namingProblems } from "../../check/secrets.ts";
import { type CliRuntime, openCliRuntime } from "../../cli-runtime.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../../command.ts";
import { workspaceFlag } from "../../command-wording.ts";
import { problemLines, problemReport } from "../../problem-view.ts";
import { openVaultOf } from "./scope.ts";
import { refuseExtraWords, type WrittenValue, withRefusedValue } from "./typed-value.ts";

/** `toolyard secrets check`: every template of the workspace resolves, and every host of each tool fits its binding. */
export function checkSecretsCommand(context: CliContext): Command {
  const command = newCommand("check", {
    summary: "whether every secret that a tool names is stored, opens, and may go where the tool sends it",
    example: "toolyard secrets check",
    json: 'write {"problems": […], "secrets": […], "tools": […]} as JSON',
  });
  return withAction(
    withWorkspace(withRefusedValue(command)),
    context,
    (values: readonly string[], options: WorkspaceOptions & WrittenValue) => {
      refuseExtraWords(values, options.value, "toolyard secrets check");
      return check(context, options);
    },
  );
}

async function check(context: CliContext, options: WorkspaceOptions): Promise<ExitCode> {
  await using runtime = await openCliRuntime(context, options);
  await runtime.engine.refresh({ kind: "all" });
  const flag = workspaceFlag(context, options);
  const facts = bindingContext(runtime, context.config.home, flag);
  const users = facts.scriptTools.filter((tool) => storedNames(tool, facts.agents).length > 0);
  const names = [...new Set(users.flatMap((tool) => storedNames(tool, facts.agents)))].sort();
  // Each is decrypted, which tells a vault that is locked or was changed outside toolyard.
  using vault = openVaultOf(context, runtime.root);
  const values = await vault.resolve(knownId(runtime), names, () => Date.now());
  const problems = [
    ...setAside(runtime),
    ...missingProblems(facts),
    ...namingProblems(runtime, facts),
    ...bindingProblems(facts),
    ...valueProblems(facts, values),
    ...untrusted(runtime, flag),
  ];
  const { output } = context;
  if (options.json === true) {
    output.json(problemReport(problems, { secrets: names, tools: users.map(({ entry }) => entry.name) }));
  } else {
    for (const line of problemLines(problems, output.paint)) output.line(line);
    if (problems.length > 0) output.line();
    output.line(summary(names.length, users.length, problems.length));
  }
  return problems.length > 0 ? 1 : 0;
}

/** What cannot be looked at must not pass for fine. */
function setAside({ workspace }: CliRuntime): readonly Problem[] {
  return workspace.current().problems.filter(({ severity }) => severity === "error");
}

function untrusted(runtime: CliRuntime, flag: string): readonly Problem[] {
  return runtime.asks().flatMap(({ entry, about, isTrusted, place }) => {
    if (isTrusted || entry.kind !== "global-secret") return [];
    const message = `${entry.tool}: nobody trusted this tool to ${visible(about)}`;
    return [{ code: "NOT_TRUSTED", severity: "warning", place, tool: entry.tool, message, mend: `toolyard trust${flag}` }];
  });
}

function summary(secrets: number, tools: number, problems: number): string {
  if (secrets === 0) return "No tool names a secret.";
  const named = `${secrets === 1 ? "1 secret is" : `${secrets} secrets are`} named by ${tools === 1 ? "1 tool" : `${tools} tools`}`;
  return problems === 0 ? `${named}; each is stored and may go where it is sent.` : `${named}.`;
}
