import { expect, test } from "vitest";
import { findByName, type ToolNames } from "./tool-name.ts";

const find = (tools: readonly ToolNames[], name: string): string | undefined => findByName(tools, name, (tool) => tool)?.name;

test("a tool is found by its name, by its name without prefix, and by the form that clients make of it", () => {
  const tools = [
    { name: "acme_docs.find", plainName: "docs.find" },
    { name: "acme_x", plainName: "x" },
  ];
  for (const name of ["acme_docs.find", "docs.find", "acme_docs_find", "docs_find"]) expect(find(tools, name)).toBe("acme_docs.find");
  expect(find(tools, "x")).toBe("acme_x");
  expect([find(tools, "X"), find(tools, "docs find"), find(tools, "docs-find"), find(tools, "")]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("an exact name always wins, and a form that two tools share means neither", () => {
  expect(find([{ name: "a.b" }, { name: "a_b" }], "a_b")).toBe("a_b");
  expect(find([{ name: "a.b.c" }, { name: "a.b_c" }], "a_b_c")).toBe(undefined);
});
