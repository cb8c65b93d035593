import { expect, test } from "vitest";
import { problemText } from "./problem.ts";

const PLACED = { code: "VAULT", severity: "error", place: { kind: "file", file: "a.json" }, message: "It is odd" } as const;

test("a finding's text says what to do, as a sentence or a command, and not twice", () => {
  expect(problemText(PLACED)).toBe("a.json It is odd.");
  expect(problemText({ ...PLACED, mend: "Make it even." })).toBe("a.json It is odd. Make it even.");
  expect(problemText({ ...PLACED, mend: "toolyard trust" })).toBe('a.json It is odd. To mend it, run "toolyard trust".');
  expect(problemText({ ...PLACED, message: "It is odd. Make it even.", mend: "Make it even." })).toBe("a.json It is odd. Make it even.");
});
