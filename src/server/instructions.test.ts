import { expect, test } from "vitest";
import type { Problem } from "../core/problem.ts";
import type { ListedTool } from "../core/tool.ts";
import { exposedTools, refusalOf } from "./expose.ts";
import { instructionsText, MAX_INSTRUCTIONS_BYTES } from "./instructions.ts";

function listed(name: string, more: Partial<ListedTool> = {}): ListedTool {
  return {
    name,
    description: `About ${name}`,
    parameters: { type: "object" },
    timeoutMs: 1_000,
    status: { kind: "ready" },
    role: "tools",
    ...more,
  };
}

const broken = { kind: "broken", problem: { code: "SYNTAX", severity: "error", place: { kind: "none" }, message: "x" } } as const;

const own = ["GetWorkspaceTools", "ExecuteWorkspaceTool", "ReloadWorkspaceTools", "ReadWorkspaceResult"].map((name) =>
  listed(name, { role: "meta" }),
);
const tools = [
  ...own,
  listed("alpha"),
  listed("beta", { status: { kind: "needs-secret", missing: ["KEY"] } }),
  listed("gamma", { status: broken }),
];

test("the list names the working tools on a line each and says what is missing", () => {
  const text = instructionsText([...tools, listed("delta", { description: "Two\n  lines" })], "both");
  expect(text.split("\n").slice(0, 4)).toEqual([
    "Tools of this workspace:",
    "- alpha: About alpha",
    "- beta: About beta [not usable yet: a person must store KEY]",
    "- delta: Two lines",
  ]);
  expect(text).not.toContain("gamma");
  expect(instructionsText(own, "both")).toContain("no working tools now");
});

test("broken files are said with their place, so that nobody takes the workspace for empty", () => {
  const syntax: Problem = {
    code: "JSON_SYNTAX",
    severity: "error",
    place: { kind: "position", file: "tools.json", line: 3, column: 5, sourceLine: "  x" },
    message: "A comma\n is missing.",
  };
  const others: Problem[] = [
    { ...syntax, severity: "warning", message: "only a warning" },
    { ...syntax, tool: "gamma", message: "of one tool" },
  ];
  expect(
    instructionsText(own, "both", [...others, syntax])
      .split("\n")
      .slice(0, 3),
  ).toEqual(["This workspace has no working tools now, because its files are broken:", "- tools.json:3:5: A comma is missing.", ""]);
  expect(instructionsText(tools, "both", [syntax]).split("\n").slice(0, 4)).toEqual([
    "Files of this workspace are broken, so tools may be missing:",
    "- tools.json:3:5: A comma is missing.",
    "Tools of this workspace:",
    "- alpha: About alpha",
  ]);
  expect(instructionsText(own, "both", others)).toContain("This workspace has no working tools now.\n");
  const many = Array.from({ length: 500 }, () => ({ ...syntax, message: "ü".repeat(2_000) }));
  const text = instructionsText(tools, "both", many);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_INSTRUCTIONS_BYTES);
  expect(text).toContain("- and 497 more; GetWorkspaceTools lists them all.");
  expect(text).toContain("- alpha: About alpha");
});

test("a thousand tools stay within 8 KiB, with a line that says how many are left out", () => {
  const many = Array.from({ length: 1_000 }, (_, index) => listed(`tool-${index}`, { description: "ü".repeat(500) }));
  const text = instructionsText(many, "both");
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_INSTRUCTIONS_BYTES);
  const shown = text.match(/^- tool-/gm)?.length ?? 0;
  expect(text).toContain(`- and ${1_000 - shown} more; GetWorkspaceTools lists them all.`);
});

test("each way to expose shows its tools and nothing that is set aside", () => {
  const names = (expose: "both" | "meta" | "direct") => exposedTools(tools, expose).map((tool) => tool.name);
  expect(names("both")).toEqual([
    "GetWorkspaceTools",
    "ExecuteWorkspaceTool",
    "ReloadWorkspaceTools",
    "ReadWorkspaceResult",
    "alpha",
    "beta",
  ]);
  expect(names("meta")).toEqual(["GetWorkspaceTools", "ExecuteWorkspaceTool", "ReloadWorkspaceTools", "ReadWorkspaceResult"]);
  expect(names("direct")).toEqual(["GetWorkspaceTools", "ReloadWorkspaceTools", "alpha", "beta"]);
});

test("what is not shown is not called, with a hint at the way that works", () => {
  expect(refusalOf("alpha", "both")).toBeUndefined();
  expect(refusalOf("alpha", "meta")).toContain("ExecuteWorkspaceTool");
  expect(refusalOf("ExecuteWorkspaceTool", "direct")).toContain("the tool itself");
  expect(refusalOf("GetWorkspaceTools", "direct")).toBeUndefined();
});
