import { expect, test } from "vitest";
import type { CapabilityContext } from "../../core/capability.ts";
import type { Progress } from "../../core/tool.ts";
import { createRunCapability } from "./capability.ts";

test("progress reaches the call with what was given and a message of at most 1,000 characters", () => {
  const seen: Progress[] = [];
  const context: CapabilityContext = {
    callId: "id",
    toolName: "probe",
    signal: new AbortController().signal,
    remainingMs: () => 1,
    log: () => undefined,
    progress: (progress) => seen.push(progress),
    request: undefined,
    ask: () => Promise.reject(new Error("nobody is asked here")),
  };
  const notice = createRunCapability().notices.get("progress");
  notice?.accept(context, notice.params.parse({ done: 1 }));
  notice?.accept(context, notice.params.parse({ done: 1, total: 2, message: "m".repeat(2_000) }));
  expect(seen).toEqual([{ done: 1 }, { done: 1, total: 2, message: "m".repeat(1_000) }]);
  for (const params of [{}, { done: -1 }, { done: "1" }, { done: 1, total: null }, { done: 1, extra: 1 }]) {
    expect(notice?.params.safeParse(params).success).toBe(false);
  }
});
