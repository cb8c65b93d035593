import { expect, test } from "vitest";
import { toMcpTool } from "./tool-list.ts";

test("a tool with a higher limit of results announces it, others announce nothing", () => {
  const tool = {
    name: "a",
    description: "a",
    parameters: { type: "object" },
    timeoutMs: 1,
    status: { kind: "ready" },
    role: "tools",
  } as const;
  const metaOf = (resultCharacters: number): unknown => toMcpTool({ ...tool, limits: { resultCharacters, argumentsBytes: 1 } })._meta;
  expect(metaOf(60_000)).toBeUndefined();
  expect(metaOf(5_000)).toBeUndefined();
  expect(metaOf(200_000)).toEqual({ "anthropic/maxResultSizeChars": 200_000 });
});
