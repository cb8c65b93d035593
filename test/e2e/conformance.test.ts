// The official conformance suites against the installed command. What may fail is in test/conformance/expected-*.yml, each with its reason.
import { expect, inject, test } from "vitest";
import { conformanceSuites, runSuites } from "../conformance/suites.ts";

test("the conformance suites of both generations pass, but for what their lists expect", { timeout: 180_000 }, async () => {
  const outcomes = await runSuites(inject("installedCli"), conformanceSuites());
  expect(outcomes.map(({ suite, code, output }) => ({ suite, code, output: code === 0 ? "" : output }))).toEqual(
    conformanceSuites().map(({ name }) => ({ suite: name, code: 0, output: "" })),
  );
});
