import { expect, test } from "vitest";
import type { Problem } from "../core/problem.ts";
import type { ListedTool } from "../core/tool.ts";
import { visible } from "../core/visible-text.ts";
import { problemLines } from "./problem-view.ts";
import { oneLine } from "./terminal-text.ts";
import { toolTableLines, toolTableTitle } from "./tool-table.ts";

const plain = (_tone: string, text: string): string => text;

const problems: readonly Problem[] = [
  {
    code: "SCHEMA_INVALID",
    severity: "error",
    tool: "weather",
    message: '"parameters.properties.days.type" is "int"; JSON Schema has "integer"',
    place: { kind: "position", file: "tools.json", line: 14, column: 7, sourceLine: '      "type": "int",' },
  },
  {
    code: "SYNTAX",
    severity: "error",
    message: "Unexpected token ')'",
    place: { kind: "position", file: "scripts/hn-top.js", line: 8, column: 4, sourceLine: "\treturn items.map((x) => );" },
  },
  {
    code: "SECRET_MISSING",
    severity: "warning",
    message: "API_KEY is not stored",
    place: { kind: "none" },
    mend: "toolyard secrets set API_KEY --host HOST",
  },
];

test("findings show place, weight, code, message, the line with a caret, and the mend", () => {
  expect(problemLines(problems, plain)).toEqual([
    'tools.json:14:7        error    SCHEMA_INVALID  weather: "parameters.properties.days.type" is "int"; JSON Schema has "integer"',
    '   14 |       "type": "int",',
    "      |       ^",
    "scripts/hn-top.js:8:4  error    SYNTAX          Unexpected token ')'",
    "    8 | \treturn items.map((x) => );",
    "      | \t  ^",
    "                       warning  SECRET_MISSING  API_KEY is not stored",
    "     toolyard secrets set API_KEY --host HOST",
  ]);
});

test("a finding of a script shows the lines beside its own", () => {
  const place = { kind: "position", file: "a.ts", line: 10, column: 3, sourceLine: "  x;", before: "a();", after: "}" } as const;
  expect(problemLines([{ code: "SYNTAX", severity: "error", message: "m", place }], plain)).toEqual([
    "a.ts:10:3  error    SYNTAX  m",
    "    9 | a();",
    "   10 |   x;",
    "      |   ^",
    "   11 | }",
  ]);
});

test("a long source line is cut around the caret", () => {
  const sourceLine = `${"a".repeat(500)}X${"b".repeat(500)}`;
  const [, line = "", caret = ""] = problemLines(
    [{ code: "SYNTAX", severity: "error", message: "m", place: { kind: "position", file: "f", line: 1, column: 501, sourceLine } }],
    plain,
  );
  expect(line.length).toBeLessThan(140);
  expect(line[caret.indexOf("^")]).toBe("X");
});

test("a finding whose line is withheld has no frame, and no caret under nothing", () => {
  const place = { kind: "position", file: "tools.json", line: 9, column: 3, sourceLine: "" } as const;
  expect(problemLines([{ code: "TEMPLATE_PLACE", severity: "error", message: "m", place }], plain)).toEqual([
    "tools.json:9:3  error    TEMPLATE_PLACE  m",
  ]);
});

test("what a workspace says cannot steer the terminal", () => {
  expect(visible("a\u001b[2Jb\u202ec\r")).toBe("a\\u001b[2Jb\\u202ec\\u000d");
  expect(oneLine("first\nsecond \u001b[31m", 20)).toBe("first second \\u001b…");
});

const base = { parameters: { type: "object" }, timeoutMs: 1000, role: "tools" as const };
const tools: readonly ListedTool[] = [
  { ...base, name: "text-stats", description: "Count words", status: { kind: "ready" } },
  {
    ...base,
    name: "weather",
    description: "Forecast for a place",
    hosts: ["a.example", "b.example", "c.example"],
    status: { kind: "ready" },
  },
  {
    ...base,
    name: "issues",
    description: "List issues",
    hosts: ["api.github.com"],
    status: { kind: "needs-secret", missing: ["GITHUB_TOKEN"] },
  },
  { ...base, name: "internal", description: "Fetch data", status: { kind: "needs-secret", missing: ["API_TOKEN", "API_KEY"] } },
  {
    ...base,
    name: "broken",
    description: "",
    status: {
      kind: "broken",
      problem: { code: "SYNTAX", severity: "error", message: "Unexpected token", place: { kind: "file", file: "scripts/a.js" } },
    },
  },
  { ...base, name: "GetWorkspaceTools", description: "meta", role: "meta", status: { kind: "ready" } },
];

test("the table shows status, hosts and the next step of each tool, not the server's own tools", () => {
  expect(toolTableLines(tools, plain)).toEqual([
    "  text-stats  ready          Count words",
    "  weather     ready          Forecast for a place  → a.example, b.example and 1 more",
    "  issues      needs secret   List issues           → api.github.com",
    "                             toolyard secrets set GITHUB_TOKEN --host api.github.com",
    "  internal    needs secret   Fetch data",
    "                             toolyard secrets set API_TOKEN --host HOST   (and API_KEY)",
    "  broken      set aside",
    "                             scripts/a.js Unexpected token",
  ]);
  expect(toolTableLines(tools, plain, " -w mine")[3]?.trim()).toBe("toolyard secrets set -w mine GITHUB_TOKEN --host api.github.com");
});

test("the title counts the tools and leaves out a generation that is not given", () => {
  expect(toolTableTitle({ version: "0.1.0", workspace: "examples/workspace", tools, generation: 1 })).toBe(
    "toolyard 0.1.0 · examples/workspace · 5 tools · generation 1",
  );
  expect(toolTableTitle({ version: "0.1.0", workspace: "w", tools: tools.slice(0, 1) })).toBe("toolyard 0.1.0 · w · 1 tool");
});
