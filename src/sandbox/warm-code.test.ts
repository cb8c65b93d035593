import { expect, test } from "vitest";
import { loadCapabilities } from "../capabilities/index.ts";
import { defaultLimits } from "../core/limits.ts";
import { createCodeCache, joinedScript } from "./code-cache.ts";
import { guestCaps } from "./guest-caps.ts";
import { Isolate, type IsolateCode } from "./isolate.ts";
import { readRealmSources } from "./realm-sources.ts";
import { warmCode } from "./warm-code.ts";

test("code kept after a call holds what the call compiled, and isolates of both kinds run on it", async () => {
  const sources = readRealmSources(loadCapabilities());
  const options = { memoryMb: 64, sources, caps: guestCaps(defaultLimits()) };
  const codeCache: IsolateCode = createCodeCache();
  const sizeOf = (): number => codeCache.compiled.get(joinedScript(codeCache, sources))?.copy().byteLength ?? 0;
  let parsedOnly = 0;
  const make = async (): Promise<Isolate> => {
    const isolate = await Isolate.create({ ...options, hardened: false }, codeCache);
    parsedOnly = sizeOf();
    return isolate;
  };
  await warmCode(make, sources, codeCache);
  expect(parsedOnly).toBeGreaterThan(0);
  expect(sizeOf()).toBeGreaterThan(parsedOnly);
  for (const hardened of [true, false]) {
    using isolate = await Isolate.create({ ...options, hardened }, codeCache);
    await isolate.load({ source: "function main() { return g.run.origin; }\n", file: "a.js", entry: "main" });
    const outcomes: unknown[] = [];
    const events = {
      onHostCall: () => undefined,
      onNotice: () => undefined,
      onDone: (text: string) => void outcomes.push(JSON.parse(text)),
    };
    const run = { origin: "cli", startedAt: "", timeoutMs: 1_000 };
    const facts = { callId: "1", args: {}, tool: { name: "a", description: "" }, config: {}, agent: { id: "", instanceId: "" }, run };
    await isolate.run({ id: "1", factsJson: JSON.stringify(facts), timeoutMs: 10_000 }, events);
    expect(outcomes).toEqual([{ kind: "value", json: '"cli"' }]);
  }
});
