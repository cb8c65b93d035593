// What a run of the conformance suites is worth: entries of test/conformance/expected-*.yml that do not hold fail it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { conformanceSuites, runSuites, type Suite } from "../conformance/suites.ts";

const cli = inject("installedCli");

test("a run fails over a stale entry, a failure that is not listed, and an entry that names no scenario", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolyard-expected-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const list = (name: string, entries: readonly string[]): string => {
    const file = join(folder, name);
    writeFileSync(file, entries.length === 0 ? "server: []\n" : `server:\n${entries.map((entry) => `  - ${entry}\n`).join("")}`);
    return file;
  };
  const lists = {
    empty: list("empty.yml", []),
    ping: list("ping.yml", ["ping"]),
    renamed: list("renamed.yml", ["ping-of-old"]),
  };
  // One scenario in place of each suite's many; both programs serve it at this version.
  const [first, second] = conformanceSuites();
  if (first === undefined || second === undefined) throw new Error("the suites are gone");
  const only = (suite: Suite, scenario: string, expected: keyof typeof lists): Suite => ({
    name: `${suite.name}: ${scenario}, ${expected}`,
    program: suite.program,
    args: ["--scenario", scenario, "--spec-version", "2025-11-25"],
    expected: lists[expected],
  });
  const outcomes = await runSuites(cli, [
    only(first, "ping", "ping"),
    only(second, "ping", "ping"),
    only(first, "tools-call-sampling", "empty"),
    only(second, "tools-call-sampling", "empty"),
    only(second, "ping", "renamed"),
  ]);
  const failed = { code: 1, unknown: [] };
  expect(outcomes.map(({ code, unknown }) => ({ code, unknown }))).toEqual([
    failed,
    failed,
    failed,
    failed,
    { code: 0, unknown: ["ping-of-old"] },
  ]);
});
