// A workspace of one tool whose script is TypeScript and imports a file.
import type { Log } from "../../src/core/log.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { entry, makeFolder } from "./workspace-folder.ts";

export const TS_SCRIPT = 'import { one } from "../lib/one";\n// not leading: @timeout 1\nexport default (): number => one;\n';

export function makeModules(files: Readonly<Record<string, unknown>> = {}): string {
  return makeFolder({
    "tools.json": { tools: [entry("a", { script: "scripts/a.ts" })] },
    "scripts/a.ts": `// @timeout 7\n${TS_SCRIPT}`,
    "lib/one.ts": "export const one = 1;\n",
    ...files,
  });
}

/** What the tool's bundle gives, run as a sandbox would. */
export function resultOf(workspace: Workspace): unknown {
  const [tool] = workspace.current().tools;
  if (tool === undefined) throw new Error(`There is no tool: ${JSON.stringify(workspace.current().problems)}`);
  const main: unknown = new Function(`${tool.script.source}\nreturn $main;`)();
  return typeof main === "function" ? main({}) : undefined;
}

export async function call(workspace: Workspace): Promise<unknown> {
  await workspace.refresh({ kind: "tool", name: "a" });
  return resultOf(workspace);
}

/** A log that keeps the events about bundles. */
export function bundleLog(): { readonly log: Log; readonly events: string[] } {
  const events: string[] = [];
  const keep = (event: string): void => {
    if (event.startsWith("bundle.")) events.push(event);
  };
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, events };
}
