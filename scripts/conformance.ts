// Runs the official conformance suites against the built command and prints what each said. With --source: against src/.
import { fileURLToPath } from "node:url";
import { conformanceSuites, runSuites } from "../test/conformance/suites.ts";

const cli = process.argv.includes("--source") ? "../src/cli/main.ts" : "../dist/cli/main.js";
const outcomes = await runSuites(fileURLToPath(new URL(cli, import.meta.url)), conformanceSuites());
for (const { suite, code, unknown, output } of outcomes) {
  console.log(`\n=== ${suite}: ${code === 0 ? "as expected" : `exit code ${code}`}`);
  console.log(output.trimEnd());
  if (unknown.length > 0) console.log(`Expected to fail, but in none of the scenarios: ${unknown.join(", ")}`);
}
process.exitCode = outcomes.every(({ code, unknown }) => code === 0 && unknown.length === 0) ? 0 : 1;
