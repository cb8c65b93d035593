import { expect, test } from "vitest";
import { leadingComments } from "./leading-comments.ts";
import { findModuleEntry } from "./module-entry.ts";

test.each<[string, "default" | "main", string]>([
  ["export default async function () {}", "default", ""],
  ["async function main() {}\nexport default main;", "default", ""],
  ["export async function main() {}", "main", ""],
  ["export const { main } = tools;", "main", ""],
  ["function run() {}\nexport { run as main };", "main", ""],
  ["function run() {}\nexport { run as default };", "default", ""],
  ['export { main } from "./a.js";', "main", ""],
  ['export { default } from "./a.js";', "default", ""],
  ["async function main() {} // the end", "main", "\nexport { main };"],
  ["const main = async () => 1;", "main", "\nexport { main };"],
  ['import { main } from "./a.js";', "main", "\nexport { main };"],
  ["#!/usr/bin/env node\nexport default () => 1;", "default", ""],
])("the entry of %j is known", (text, member, tail) => {
  expect(findModuleEntry(text)).toEqual({ ok: true, member, tail });
});

test.each([
  ["export default { a: 1 };", "The default export is not a function that can be called."],
  ["export default function* () {}", "The default export is not a function that can be called."],
  ["export const a = 1;", 'The script defines no main(). Write "async function main() { … }" or "export default async function () { … }".'],
])("%j has no entry", (text, message) => {
  expect(findModuleEntry(text)).toEqual({ ok: false, kind: "missing-main", message });
});

test("a text that does not parse has no entry and is told where, also one that is nested a hundred thousand levels deep", () => {
  const unread = { ok: false, kind: "unread" };
  expect(findModuleEntry("export default (")).toEqual({ ...unread, offset: 16, message: "Unexpected end of the script." });
  expect(findModuleEntry(`export default ${"[".repeat(100_000)}`)).toMatchObject(unread);
});

test.each<[string, readonly string[]]>([
  ["// @timeout 5\nimport a from './a';", [" @timeout 5"]],
  ["#!/usr/bin/env node\n/* one */ // two\r\n\n/** three */ type A = 1; // four", [" one ", " two", "* three "]],
  ["/* never closed", []],
  ["type A = 1;\n// @timeout 5", []],
  ["", []],
  ["// only", [" only"]],
])("the leading comments of %j", (text, comments) => {
  const found = leadingComments(text);
  expect(found.map((comment) => comment.text)).toEqual(comments);
  expect(found.map(({ text: comment, offset }) => text.slice(offset, offset + comment.length))).toEqual(comments);
});
