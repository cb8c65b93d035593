import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

test("a path stands as one word of a shell, whatever it holds", () => {
  expect(shellWord("my-tools/a_b.c")).toBe("my-tools/a_b.c");
  expect(shellWord("my tools")).toBe("'my tools'");
  expect(shellWord("it's")).toBe(String.raw`'it'\''s'`);
  expect(shellWord("$(reboot)\u001b[2J")).toBe(String.raw`'$(reboot)\u001b[2J'`);
});
