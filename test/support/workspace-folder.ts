// A workspace in a temporary folder of its own, removed at the end of the test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import type { Problem } from "../../src/core/problem.ts";
import { Workspace, type WorkspaceOptions } from "../../src/workspace/workspace.ts";

export const PLAIN_SCRIPT = "async function main() {\n  return 1;\n}\n";

/** Files by path; what is no text is written as JSON. */
export function makeFolder(files: Readonly<Record<string, unknown>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "workspace-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  putFiles(root, files);
  return root;
}

export function putFiles(root: string, files: Readonly<Record<string, unknown>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(
      join(root, path),
      typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content, null, 2),
    );
  }
}

/** A minimal entry of tools.json. */
export function entry(name: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { name, description: `Does ${name}.`, script: "scripts/a.js", ...more };
}

/** A workspace of entries that share one script unless they name another. */
export function makeWorkspaceFolder(entries: readonly unknown[], files: Readonly<Record<string, unknown>> = {}): string {
  return makeFolder({ "tools.json": { tools: entries }, "scripts/a.js": PLAIN_SCRIPT, ...files });
}

export async function openWorkspace(root: string, options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  const workspace = await Workspace.open({ root, poll: false, log: silentLog, ...options });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

/** `CODE place` of each problem, in order. */
export function codes(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ code, place }) => {
    if (place.kind === "none") return code;
    return place.kind === "file" ? `${code} ${place.file}` : `${code} ${place.file}:${place.line}:${place.column}`;
  });
}

/** Settles at the first moment at which the condition holds, asked after each change; fails after the deadline. */
export function whenChanged(workspace: Workspace, isDone: () => boolean, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = setTimeout(() => {
      stop();
      reject(new Error(`Nothing changed as expected within ${withinMs} ms.`));
    }, withinMs);
    const check = (): void => {
      if (!isDone()) return;
      clearTimeout(end);
      stop();
      resolve();
    };
    const stop = workspace.onChange(check);
    check();
  });
}
