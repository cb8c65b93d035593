// The guards that test/long/security-guards.test.ts removes one by one: that each is there to be removed.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { SECURITY_GUARDS } from "../guards/guards.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("every guard has a name of its own, stands once in the sources, and names tests that are there", () => {
  const names = SECURITY_GUARDS.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(names.length).toBeGreaterThanOrEqual(150);
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const text = texts.get(file) ?? readFileSync(root + file, "utf8");
    texts.set(file, text);
    return text;
  };
  const stale = SECURITY_GUARDS.flatMap(({ name, changes, tests }) => [
    ...changes.flatMap(({ file, find, replace }) => {
      const count = textOf(file).split(find).length - 1;
      return count === 1 && find !== replace ? [] : [`${name}: ${count} times in ${file}`];
    }),
    ...tests.filter((file) => !existsSync(root + file)).map((file) => `${name}: no ${file}`),
    ...(tests.length === 0 ? [`${name}: no tests`] : []),
  ]);
  expect(stale).toEqual([]);
});
