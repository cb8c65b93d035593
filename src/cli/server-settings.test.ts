import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { makeHome } from "../../test/support/runtime.ts";
import { defaultLimits } from "../core/limits.ts";
import { readServerLimits } from "./server-settings.ts";
import { UsageError } from "./usage-error.ts";

function homeWith(text: string): string {
  const home = makeHome();
  writeFileSync(path.join(home, "settings.json"), text);
  return home;
}

test("without a file the limits are those of the table", () => {
  expect(readServerLimits(makeHome())).toEqual(defaultLimits());
});

test("the file raises and lowers limits, with comments and a byte order mark", () => {
  const home = homeWith('\ufeff{ // ours\n "limits": { "queuedCalls": 200, "redirects": 0, }, "x-note": 1 }');
  expect(readServerLimits(home)).toEqual({ ...defaultLimits(), queuedCalls: 200, redirects: 0 });
});

test.each([
  ['{ "limits": { "queuedCals": 1 } }', ':1:15 "queuedCals" is no limit; did you mean "queuedCalls"?'],
  ['{ "limits": { "queuedCalls": "many" } }', ':1:30 "queuedCalls" is a whole number of count, at least 0.'],
  ['{ "limits": { "memoryMb": 1 } }', ':1:27 "memoryMb" is a whole number of MiB, at least 32.'],
  ['{\n "limit": {} }', ':2:2 "limit" is not a key here; known are version, limits.'],
  ['{ "version": 2 }', ":1:14 this toolyard reads version 1; update it."],
])("%s is refused with its place", (text, message) => {
  const home = homeWith(text);
  expect(messageFrom(() => readServerLimits(home))).toBe(`${path.join(home, "settings.json")}${message}`);
});

function messageFrom(read: () => unknown): string {
  try {
    read();
    return "nothing was thrown";
  } catch (error) {
    return error instanceof UsageError ? error.message : String(error);
  }
}
