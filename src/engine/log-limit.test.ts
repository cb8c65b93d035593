import { expect, test } from "vitest";
import type { LogLine } from "../core/tool.ts";
import { limitLog } from "./log-limit.ts";

test("lines are passed on until the limit in bytes, then one line says so, then nothing", () => {
  const lines: LogLine[] = [];
  const log = limitLog(10, (line) => lines.push(line));
  for (const text of ["12345", "éé", "x", "too much", "more", ""]) log({ level: "info", text });
  expect(lines).toEqual([
    { level: "info", text: "12345" },
    { level: "info", text: "éé" },
    { level: "info", text: "x" },
    { level: "warn", text: 'The log of this call is over its limit of 10 bytes ("logBytes"); the rest is left out.' },
  ]);
});
