import { expect, test } from "vitest";
import type { CapabilityContext } from "../../core/capability.ts";
import type { PlacedLine } from "../../core/tool.ts";
import { createLogCapability } from "./capability.ts";

test("a line reaches the call's log, well-formed", () => {
  const lines: PlacedLine[] = [];
  const context: CapabilityContext = {
    callId: "id",
    toolName: "probe",
    signal: new AbortController().signal,
    remainingMs: () => 1,
    log: (line) => lines.push(line),
    progress: () => undefined,
    request: undefined,
    ask: () => Promise.reject(new Error("nobody is asked here")),
  };
  const write = createLogCapability().notices.get("write");
  write?.accept(context, write.params.parse({ level: "warn", text: "a\ud800b" }));
  write?.accept(context, write.params.parse({ level: "warn", text: "c", at: [3, 1] }));
  expect(lines).toEqual([
    { level: "warn", text: "a\ufffdb" },
    { level: "warn", text: "c", at: [3, 1] },
  ]);
  expect(write?.params.safeParse({ level: "warn", text: "", at: [0, 1] }).success).toBe(false);
  expect(write?.params.safeParse({ level: "fatal", text: "" }).success).toBe(false);
  expect(write?.params.safeParse({ level: "info" }).success).toBe(false);
});
