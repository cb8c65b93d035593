import { expect, test } from "vitest";
import { testCall } from "../../test/support/sandbox-call.ts";
import type { ToHost } from "./border.ts";
import { ScriptShelf } from "./script-shelf.ts";

test("a script is sent once", () => {
  const sent: ToHost[] = [];
  const shelf = new ScriptShelf((message) => sent.push(message));
  const { script } = testCall("async function main() { return 1 }");
  shelf.send(script);
  shelf.send(script);
  const { key, source, file, entry } = script;
  expect(sent).toEqual([{ kind: "script", key, source, file, entry }]);
});

test("when the scripts of a host are too large together, the least recently used are taken back", () => {
  const kinds: string[] = [];
  const shelf = new ScriptShelf((message) => kinds.push(`${message.kind} ${"key" in message ? message.key : ""}`));
  const source = "x".repeat(12 * 1_048_576);
  const script = (key: string): Parameters<ScriptShelf["send"]>[0] => ({ ...testCall("").script, key, source });
  for (const key of ["a", "b", "a", "c", "b"]) shelf.send(script(key));
  expect(kinds).toEqual(["script a", "script b", "script c", "forget b", "script b", "forget a"]);
});
