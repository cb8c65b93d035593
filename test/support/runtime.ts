// A whole runtime over a temporary workspace and a home of its own, closed at the end of the test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Log, LogFields } from "../../src/core/log.ts";
import { Secret } from "../../src/core/secret.ts";
import type { CallResult, LogLine, Progress } from "../../src/core/tool.ts";
import { openRuntime, type Runtime, type RuntimeOptions } from "../../src/engine/runtime.ts";
import { openTrust } from "../../src/policy/trust-store.ts";
import type { Binding } from "../../src/secrets/binding.ts";
import { openVault } from "../../src/secrets/vault.ts";
import { workspaceIdentity } from "../../src/workspace/workspace-identity.ts";

/** A runtime, with all it wrote and said. */
export interface TestRuntime extends Runtime {
  readonly root: string;
  readonly home: string;
  /** Every log event, as one text each. */
  readonly logged: string[];
  /** What calls said while they ran. */
  readonly lines: LogLine[];
  readonly progress: Progress[];
  run(name: string, args?: unknown, signal?: AbortSignal): Promise<CallResult>;
}

/** A folder for toolyard's own files, removed at the end of the test. */
export function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Stores a secret for the workspace, as `toolyard secrets set` does. */
export async function storeSecret(
  { root, home }: { readonly root: string; readonly home: string },
  name: string,
  value: string,
  { global = false, ...binding }: Binding & { readonly global?: boolean },
): Promise<void> {
  const vault = openVault({ home, config: { keychain: false }, workspaceRoot: root });
  if (global) {
    await vault.set({ kind: "global" }, name, new Secret(value), { binding });
  } else {
    const identity = workspaceIdentity(root);
    await openTrust(home, identity).add([]);
    await vault.set({ kind: "workspace", id: identity.id }, name, new Secret(value), { binding });
  }
  vault[Symbol.dispose]();
}

/** Opens a runtime over a folder. */
export async function openTestRuntime(root: string, home: string, options: Partial<RuntimeOptions> = {}): Promise<TestRuntime> {
  const logged: string[] = [];
  const lines: LogLine[] = [];
  const progress: Progress[] = [];
  const keep = (event: string, fields?: LogFields): void => void logged.push(JSON.stringify({ event, ...fields }));
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  const runtime = await openRuntime({ root, home, key: { keychain: false }, poll: false, log, warmUp: false, watch: false, ...options });
  onTestFinished(() => runtime[Symbol.asyncDispose]());
  // An open waits a few seconds for bundles; a machine busy with other tests may take longer.
  if (runtime.workspace.current().problems.some(({ code }) => code === "BUNDLING")) await runtime.workspace.reload();
  return {
    ...runtime,
    root,
    home,
    logged,
    lines,
    progress,
    run: (name, args, signal = new AbortController().signal) =>
      runtime.engine.call(
        { agent: "default", origin: "mcp" },
        { name, args, signal, onLog: (line) => lines.push(line), onProgress: (step) => progress.push(step) },
      ),
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}
