import { expect, test } from "vitest";
import { plainScriptPath, scriptPathFault } from "./script-path.ts";

test.each([
  "a.js",
  "scripts/a.js",
  "./scripts/a.mjs",
  "scripts/.hidden.js",
  "scripts/a.ts",
  "scripts/a.mts",
  "scripts/ünïcode – name.js",
  "console/communication.js",
])("%j is a path of a script", (path) => {
  expect(scriptPathFault(path)).toBeUndefined();
});

test.each([
  ["/etc/passwd.js", "is absolute; write it relative to the workspace"],
  ["//server/share/a.js", "is absolute; write it relative to the workspace"],
  ["../a.js", 'leaves its folder by ".."'],
  ["scripts/../../a.js", 'leaves its folder by ".."'],
  ["scripts/..", 'leaves its folder by ".."'],
  ["..\\a.js", 'has a "\\"; write "/" between folders'],
  ["\\\\?\\C:\\a.js", 'has a "\\"; write "/" between folders'],
  ["C:/a.js", 'has a ":", which means a drive or a stream on Windows'],
  ["C:a.js", 'has a ":", which means a drive or a stream on Windows'],
  ["a.js:stream.js", 'has a ":", which means a drive or a stream on Windows'],
  ["file:///a.js", 'has a ":", which means a drive or a stream on Windows'],
  ["~/a.js", 'starts with "~"; write it relative to the workspace'],
  ["scripts//a.js", "has an empty folder name"],
  ["scripts/a.js/", "has an empty folder name"],
  ["", "has an empty folder name"],
  ["scripts/a.js ", "has a name that ends in a dot or a space, which Windows drops"],
  ["scripts./a.js", "has a name that ends in a dot or a space, which Windows drops"],
  ["scripts/.../a.js", "has a name that ends in a dot or a space, which Windows drops"],
  ["scripts/a.js\0.js", "has a control character"],
  ["CON.js", 'has the name "CON.js", which is a device on Windows'],
  ["scripts/nul/a.js", 'has the name "nul", which is a device on Windows'],
  ["lpt1.js", 'has the name "lpt1.js", which is a device on Windows'],
  [`${"a".repeat(1_022)}.js`, "is longer than 1024 characters"],
  ["a.d.ts", "holds types only"],
  ["a.json", "must end in .js, .mjs, .ts, .mts"],
])("%j is refused on every platform", (path, fault) => {
  expect(scriptPathFault(path)).toBe(fault);
});

test("one file has one spelling", () => {
  expect(plainScriptPath("./scripts/./a.js")).toBe("scripts/a.js");
});
