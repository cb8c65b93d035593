import { defineConfig } from "vitest/config";
import { compiledChildren } from "./test/support/compiled-children.ts";

// What holds times against limits runs after the rest: beside it they would be those of a busy machine.
const timed = ["src/sandbox/**/*.test.ts", "test/security/{border,hostile,http-slow,realm,sandbox,schema-patterns}*.test.ts"];

// What is told after fractions of a second, and the conformance suites, which give an answer half of one: nothing else runs beside.
const paced = ["src/schema/arguments-message.test.ts", "test/e2e/conformance.test.ts"];

// Tests wait for processes a good part of their time; one worker, Vitest's default on 2 cores, leaves a core idle, and two a quarter.
// A worker keeps the modules it has loaded for the files to come, which halves the time of the unit tests; no module of ours has state.
const together = { maxWorkers: 3, isolate: false, sequence: { groupOrder: 0 } };

// "long" holds repetitions, soaks, fuzz and kills (npm run test:long); the others together are npm test.
export default defineConfig({
  plugins: [compiledChildren()],
  test: {
    reporters: ["default"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/schema/**/*.test.ts"],
          exclude: [...timed, ...paced],
          testTimeout: 30_000,
          ...together,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: paced,
          testTimeout: 60_000,
          globalSetup: ["test/e2e/pack.ts"],
          ...together,
        },
      },
      {
        extends: true,
        test: { name: "security", include: ["test/security/**/*.test.ts"], exclude: timed, testTimeout: 60_000, ...together },
      },
      { extends: true, test: { name: "timed", include: timed, testTimeout: 60_000, maxWorkers: 2, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          name: "paced",
          include: paced,
          testTimeout: 60_000,
          globalSetup: ["test/e2e/pack.ts"],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "long",
          include: ["test/long/**/*.test.ts"],
          testTimeout: 1_800_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
