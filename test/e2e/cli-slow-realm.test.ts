// run tells of a script that may be quicker in the other isolation mode, beside the answer.
import { expect, inject, test } from "vitest";
import { makeBench } from "./cli-process.ts";

const cli = inject("installedCli");
const COUNT = "function main() { let sum = 0; for (let i = 0; i < 1e8; i++) sum += i % 7; return sum; }\n";

test("run suggests isolation call for a script that used much CPU in isolation tool, and for no other", async () => {
  using bench = makeBench(cli);
  bench.write({
    "tools.json": {
      tools: [
        { name: "counts", description: "Counts", script: "count.js", isolation: "tool" },
        { name: "apart", description: "Counts", script: "count.js", isolation: "call" },
        { name: "light", description: "Gives 1", script: "light.js", isolation: "tool" },
      ],
    },
    "count.js": COUNT,
    "light.js": "function main() { return 1; }\n",
  });
  const hinted = await bench.run(["run", "counts"]);
  expect(hinted).toMatchObject({ code: 0, stdout: "299999995\n" });
  expect(hinted.stderr).toMatch(/^SLOW_REALM {2}counts used \d+ ms of CPU in isolation "tool".*"isolation": "call".*\n$/);
  expect((await bench.run(["run", "counts", "--json"])).stderr).toMatch(/^SLOW_REALM {2}/);
  for (const name of ["apart", "light"]) expect((await bench.run(["run", name])).stderr).toBe("");
});
