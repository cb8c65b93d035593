import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { readProcessFigures } from "./process-figures.ts";

test.runIf(process.platform === "linux")("memory and CPU time of another process are read while it lives", async () => {
  const burn = "const end = Date.now() + 300; while (Date.now() < end); process.stdout.write('burnt'); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ["-e", burn], { stdio: ["ignore", "pipe", "ignore"] });
  const pid = child.pid ?? 0;
  await once(child.stdout, "data");
  const figures = readProcessFigures(pid);
  expect(figures?.rssMb).toBeGreaterThan(20);
  expect(figures?.rssMb).toBeLessThan(500);
  expect(figures?.cpuMs).toBeGreaterThan(50);
  expect(figures?.cpuMs).toBeLessThan(5_000);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(readProcessFigures(pid)).toBeUndefined();
});
