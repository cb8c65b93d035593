// The official conformance suites against the installed command. What may fail is in test/conformance/expected-*.yml, each with its reason.
import { expect, inject, test } from "vitest";
import { conformanceSuites, runSuites } from "../conformance/suites.ts";

const cli = inject("installedCli");

test("the conformance suites of both generations pass, but for what their lists expect", { timeout: 180_000 }, async () => {
  const outcomes = await runSuites(cli, conformanceSuites());
  expect(outcomes.map((outcome) => ({ ...outcome, output: outcome.code === 0 ? "" : outcome.output }))).toEqual(
    conformanceSuites().map(({ name }) => ({ suite: name, code: 0, unknown: [], output: "" })),
  );
});
