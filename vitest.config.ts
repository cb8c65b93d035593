import { defineConfig } from "vitest/config";

const inSource = { include: ["src/**/*.test.ts", "test/schema/**/*.test.ts"] };

// "long" holds repetitions, soaks, fuzz and kills (npm run test:long); the others together are npm test.
export default defineConfig({
  test: {
    reporters: ["default"],
    // Tests wait for processes half of their time; one worker, Vitest's default on 2 cores, leaves a core idle.
    maxWorkers: 2,
    projects: [
      { test: { name: "unit", ...inSource, testTimeout: 10_000 } },
      { test: { name: "security", include: ["test/security/**/*.test.ts"], testTimeout: 60_000 } },
      { test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 60_000, globalSetup: ["test/e2e/pack.ts"] } },
      { test: { name: "long", include: ["test/long/**/*.test.ts"], testTimeout: 1_800_000, fileParallelism: false } },
    ],
  },
});
