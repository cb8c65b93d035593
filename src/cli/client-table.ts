/** What each client makes of each tool, as people read it. Why one is refused is told by the findings of `check`. */
import type { ClientReport, Verdict } from "../clients/verdicts.ts";
import type { Paint, Tone } from "./io.ts";
import { visibleName } from "./terminal-text.ts";

const WORDS: { readonly [kind in Verdict["kind"]]: readonly [string, Tone] } = {
  "as-is": ["as is", "quiet"],
  changed: ["changed", "warning"],
  refused: ["refused", "bad"],
};

/** Most tools with a row of their own; of more, the first are shown. `--json` has all. */
const MAX_ROWS = 50;

/** Most tools named in one line. */
const MAX_NAMED = 5;

/** Lines about the clients, for a server of this name in their settings; empty without tools. */
export function clientTableLines(reports: readonly ClientReport[], server: string, paint: Paint): string[] {
  if (reports.every(({ verdicts }) => verdicts.size === 0)) return [];
  const plain = reports.filter(({ verdicts }) => [...verdicts.values()].every(({ kind }) => kind === "as-is"));
  const odd = reports.filter((report) => !plain.includes(report));
  const isRefused = odd.some(({ verdicts }) => [...verdicts.values()].some(({ kind }) => kind === "refused"));
  return [
    `Clients, by rule, where the server is named "${server}":`,
    ...(plain.length === 0 ? [] : [`  as is in ${plain.map(({ client }) => client.title).join(", ")}`]),
    // Where nothing is refused, the lines about what is changed say all there is.
    ...(isRefused ? tableLines(odd, paint) : []),
    ...changeLines(odd),
  ];
}

function tableLines(reports: readonly ClientReport[], paint: Paint): string[] {
  const all = [...(reports[0]?.verdicts.keys() ?? [])].filter((tool) =>
    reports.some(({ verdicts }) => verdicts.get(tool)?.kind !== "as-is"),
  );
  const tools = all.slice(0, MAX_ROWS);
  const nameWidth = Math.max(...tools.map((tool) => visibleName(tool).length));
  const widths = reports.map(({ client }) => Math.max(client.title.length, "changed".length));
  const heading = reports.map(({ client }, column) => client.title.padEnd(widths[column] ?? 0)).join("  ");
  const line = (tool: string): string => {
    const cells = reports.map(({ verdicts }, column) => {
      const [word, tone] = WORDS[verdicts.get(tool)?.kind ?? "as-is"];
      return paint(tone, word) + " ".repeat(Math.max(0, (widths[column] ?? 0) - word.length));
    });
    return `  ${visibleName(tool).padEnd(nameWidth)}  ${cells.join("  ").trimEnd()}`;
  };
  const more = all.length > tools.length ? [`  and ${all.length - tools.length} more tools; --json has all`] : [];
  return [`  ${" ".repeat(nameWidth)}  ${heading}`.trimEnd(), ...tools.map(line), ...more];
}

/** Each way in which tools are changed, with the clients and the tools. */
function changeLines(reports: readonly ClientReport[]): string[] {
  const changes = new Map<string, { readonly titles: Set<string>; readonly tools: Set<string> }>();
  for (const { client, verdicts } of reports) {
    for (const [tool, verdict] of verdicts) {
      for (const text of verdict.kind === "changed" ? verdict.how : []) {
        const known = changes.get(text) ?? { titles: new Set(), tools: new Set() };
        known.titles.add(client.title);
        known.tools.add(tool);
        changes.set(text, known);
      }
    }
  }
  return [...changes].map(
    ([text, { titles, tools }]) => `  changed in ${[...titles].join(", ")}: ${visibleName(text)} (${named([...tools])})`,
  );
}

function named(tools: readonly string[]): string {
  const shown = tools.slice(0, MAX_NAMED).map(visibleName).join(", ");
  return tools.length > MAX_NAMED ? `${shown} and ${tools.length - MAX_NAMED} more` : shown;
}
