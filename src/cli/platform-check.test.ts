import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { platformProblem } from "./platform-check.ts";

const good = { nodeVersion: "24.21.0", abi: "137", platform: "linux", arch: "x64" };

test("Node 24 and 26 on a platform with a prebuilt sandbox fit", () => {
  expect(platformProblem(good)).toBeUndefined();
  expect(platformProblem({ ...good, nodeVersion: "26.10.0", abi: "147", platform: "darwin", arch: "arm64" })).toBeUndefined();
});

test.each([
  [{ nodeVersion: "20.20.2", abi: "115" }, "needs Node 24 or newer; this is Node 20.20.2"],
  [{ nodeVersion: "9.0.0", abi: "59" }, "needs Node 24 or newer; this is Node 9.0.0"],
  [{ nodeVersion: "25.1.0", abi: "141" }, "no prebuilt sandbox for Node 25.1.0 (ABI 141)"],
  [{ platform: "darwin", arch: "x64" }, "no prebuilt sandbox for darwin-x64"],
  [{ platform: "freebsd" }, "no prebuilt sandbox for freebsd-x64"],
])("%j is refused in one line", (facts, words) => {
  const problem = platformProblem({ ...good, ...facts });
  expect(problem).toContain(words);
  expect(problem?.split("\n")).toHaveLength(1);
});

test("the list of platforms is what the installed sandbox ships", () => {
  const source = readFileSync(new URL("./platform-check.ts", import.meta.url), "utf8");
  const shipped = ["darwin-arm64", "linux-arm64", "linux-x64", "win32-x64"];
  for (const machine of shipped) {
    const file = machine.startsWith("linux") ? "isolated-vm.abi137.glibc.node" : "isolated-vm.abi137.node";
    expect(readFileSync(new URL(`../../node_modules/isolated-vm/prebuilds/${machine}/${file}`, import.meta.url)).length).toBeGreaterThan(0);
    expect(source).toContain(`"${machine}"`);
  }
});

test("the two files that run before the check hold no syntax younger than Node 12", () => {
  for (const file of ["./platform-check.ts", "./main.ts"]) {
    const source = readFileSync(new URL(file, import.meta.url), "utf8");
    expect(source).not.toMatch(/\?\?|\?\.|^\s*await |&&=|\|\|=|#[a-z]+\b(?!!)\s*[(;=]|\.at\(|static \{/m);
  }
});
