// Runs the official conformance suites against the built command and prints what each said. With --source: against src/.
import { fileURLToPath } from "node:url";
import { conformanceSuites, runSuites } from "../test/conformance/suites.ts";

const cli = process.argv.includes("--source") ? "../src/cli/main.ts" : "../dist/cli/main.js";
const outcomes = await runSuites(fileURLToPath(new URL(cli, import.meta.url)), conformanceSuites());
for (const { suite, code, output } of outcomes) {
  console.log(`\n=== ${suite}: ${code === 0 ? "as expected" : `exit code ${code}`}`);
  console.log(output.trimEnd());
}
process.exitCode = outcomes.every(({ code }) => code === 0) ? 0 : 1;
