// What docs/security.md says of tests is true: each that it names is there, and no file of this folder is left out.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A line of a list: file in code, colon, title as the source writes it. */
const NAMED = /^- `(?<file>[^`]+\.test\.ts)`: (?<title>.+)$/gm;

const named = [...readFileSync(join(root, "docs/security.md"), "utf8").matchAll(NAMED)].map(({ groups = {} }) => {
  const { file = "", title = "" } = groups;
  return { file: file.includes("/") ? file : `test/security/${file}`, title };
});

/** True if the source has a test of that title: the first argument of a call, whatever `test.each` or `skipIf` stands before. */
function hasTest(source: string, title: string): boolean {
  const literals = [JSON.stringify(title), `'${title}'`, `\`${title}\``];
  const text = source.replaceAll(/\(\s+/g, "(");
  return literals.some((literal) => text.includes(`(${literal},`));
}

test("every test that docs/security.md names is there, by file and title", () => {
  expect(named.length).toBeGreaterThan(100);
  const missing = named.filter(({ file, title }) => {
    const path = join(root, file);
    return !existsSync(path) || !hasTest(readFileSync(path, "utf8"), title);
  });
  expect(missing).toEqual([]);
  expect(hasTest(readFileSync(fileURLToPath(import.meta.url), "utf8"), "a test that nobody wrote")).toBe(false);
});

test("every test file of this folder stands for something on that page", () => {
  const files = readdirSync(join(root, "test/security")).filter((name) => name.endsWith(".test.ts"));
  const shown = new Set(named.map(({ file }) => file));
  expect(files.filter((name) => !shown.has(`test/security/${name}`))).toEqual([]);
});
