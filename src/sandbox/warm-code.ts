/**
 * The code that every isolate of a process needs, compiled once. V8 compiles a function when it is first called, so a text
 * that was only parsed leaves a new isolate a quarter of its work (`npm run bench -- sandbox`); one call of a script that does
 * nothing compiles what calls go through. The code stays in this process.
 */
import { joinedScript } from "./code-cache.ts";
import type { Isolate, IsolateCode } from "./isolate.ts";
import type { RealmSources } from "./isolate-contract.ts";

const SCRIPT = { source: "function main() { return {}; }\n", file: "warm.js", entry: "main" };

const FACTS = {
  callId: "warm",
  args: {},
  tool: { name: "", description: "" },
  config: {},
  agent: { id: "", instanceId: "" },
  run: { origin: "cli", startedAt: "", timeoutMs: 0 },
};

/** Longest time for the one call; it takes a millisecond. */
const TIMEOUT_MS = 20_000;

/** Makes an isolate, which is not hardened, and drops it again. Rejects as making one does. */
export async function warmCode(make: () => Promise<Isolate>, sources: RealmSources, codeCache: IsolateCode): Promise<void> {
  using isolate = await make();
  await isolate.load(SCRIPT);
  const nobody = { onHostCall: () => undefined, onNotice: () => undefined, onDone: () => undefined };
  await isolate.run({ id: FACTS.callId, factsJson: JSON.stringify(FACTS), timeoutMs: TIMEOUT_MS }, nobody);
  await isolate.keepCode(joinedScript(codeCache, sources), codeCache);
}
