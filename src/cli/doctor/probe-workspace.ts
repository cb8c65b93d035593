import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A small workspace in a temporary folder; disposing removes it. */
export interface ProbeWorkspace extends AsyncDisposable {
  readonly root: string;
  /** A toolyard folder of its own, so that nothing reaches the user's. */
  readonly home: string;
}

const TOOLS = {
  tools: [
    { name: "answer", description: "Gives 42", script: "answer.js", allowedHosts: [] },
    { name: "loop", description: "Never ends by itself", script: "loop.js", allowedHosts: [], timeout: 0.5 },
  ],
};

/** Makes one with the tools `answer` and `loop`. */
export async function makeProbeWorkspace(): Promise<ProbeWorkspace> {
  const base = await mkdtemp(path.join(tmpdir(), "toolyard-doctor-"));
  const root = path.join(base, "workspace");
  const home = path.join(base, "home");
  await mkdir(root);
  await mkdir(home, { mode: 0o700 });
  await writeFile(path.join(root, "tools.json"), JSON.stringify(TOOLS));
  await writeFile(path.join(root, "answer.js"), "function main() { return 42; }\n");
  await writeFile(path.join(root, "loop.js"), "function main() { while (true) {} }\n");
  return { root, home, [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }) };
}
