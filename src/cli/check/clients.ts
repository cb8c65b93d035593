import { publishedTool } from "../../clients/published-tool.ts";
import { CLIENTS } from "../../clients/rules.ts";
import { type ClientReport, judgeClients, type Refusal, type Verdict } from "../../clients/verdicts.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import type { ListedTool } from "../../core/tool.ts";
import type { Probe } from "../probe.ts";
import type { CheckContext } from "./check-context.ts";

/** Name of the server in the texts that `install` and the docs give; clients put it before the names of tools. */
export const SERVER_NAME = "toolyard";

/** What every known client makes of the tools that can be called; `ownTools` are listed beside them. */
export function clientReports(tools: readonly ListedTool[], ownTools: number): readonly ClientReport[] {
  const callable = tools.filter(({ role, status }) => role === "tools" && status.kind !== "broken");
  return judgeClients(CLIENTS, callable.map(publishedTool), { server: SERVER_NAME, ownTools });
}

/** Every client that is known takes every tool. */
export const clientsProbe: Probe<Pick<CheckContext, "clients" | "placeOf">> = {
  name: "clients",
  about: "every known client takes every tool",
  code: "CLIENT_REFUSES",
  run: ({ clients, placeOf }) => [...refusedTools(clients, placeOf), ...surpluses(clients)],
};

/** The reports as JSON: each tool with its verdict by the client's id, and clients that take fewer tools. */
export function clientData(reports: readonly ClientReport[]): JsonObject {
  const tools = new Map<string, Record<string, JsonObject>>();
  for (const { client, verdicts } of reports) {
    for (const [tool, verdict] of verdicts) tools.set(tool, { ...tools.get(tool), [client.id]: verdictData(verdict) });
  }
  return {
    server: SERVER_NAME,
    // No package has the code by which these clients judge.
    judgedBy: "rule",
    clients: reports.map(({ client: { id, title }, tooMany }) => ({
      id,
      title,
      ...(tooMany === undefined ? {} : { tooMany: { ...tooMany, sources: [...tooMany.sources] } }),
    })),
    tools: [...tools].map(([tool, verdicts]) => ({ tool, verdicts })),
  };
}

function verdictData(verdict: Verdict): JsonObject {
  switch (verdict.kind) {
    case "as-is":
      return { verdict: "as-is" };
    case "changed":
      return { verdict: "changed", how: [...verdict.how] };
    case "refused":
      return { verdict: "refused", reasons: verdict.reasons.map((reason) => ({ ...reason, sources: [...reason.sources] })) };
  }
}

/** One finding per tool and reason, with the clients that have it. */
function refusedTools(reports: readonly ClientReport[], placeOf: CheckContext["placeOf"]): readonly Problem[] {
  const found = new Map<string, RefusedTool>();
  for (const { client, verdicts } of reports) {
    for (const [tool, verdict] of verdicts) {
      if (verdict.kind !== "refused") continue;
      for (const { effect, why, mend } of verdict.reasons) {
        const key = JSON.stringify([tool, why, mend]);
        const known = found.get(key) ?? { tool, why, mend, titles: { "fails-all": [], "left-out": [] } };
        known.titles[effect].push(client.title);
        found.set(key, known);
      }
    }
  }
  return [...found.values()].map(({ tool, why, mend, titles }) => {
    const failing = titles["fails-all"];
    const leaving = titles["left-out"];
    const effects = [
      ...(failing.length === 0 ? [] : [`${failing.join(", ")} ${failing.length === 1 ? "fails" : "fail"} with it`]),
      ...(leaving.length === 0 ? [] : [`${leaving.join(", ")} ${leaving.length === 1 ? "leaves" : "leave"} it out`]),
    ];
    return { code: "CLIENT_REFUSES", severity: "warning", place: placeOf(tool), tool, message: `${why}; ${effects.join(", ")}`, mend };
  });
}

interface RefusedTool {
  readonly tool: string;
  readonly why: string;
  readonly mend: string;
  readonly titles: { readonly [effect in Refusal["effect"]]: string[] };
}

function surpluses(reports: readonly ClientReport[]): readonly Problem[] {
  return reports.flatMap(({ client, verdicts, tooMany }) =>
    tooMany === undefined
      ? []
      : [
          {
            code: "CLIENT_REFUSES",
            severity: "warning",
            place: { kind: "none" },
            message: `${client.title} takes at most ${tooMany.max} tools of all servers together; here are ${verdicts.size} and the server's own`,
            mend: "Serve with --expose meta, or switch tools off in the client.",
          } as const,
        ],
  );
}
