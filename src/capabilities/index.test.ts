import { expect, test } from "vitest";
import { loadCapabilities } from "./index.ts";

test("the list holds every member of g once, each with guest text and types", () => {
  const capabilities = loadCapabilities();
  expect(capabilities.map((capability) => capability.name)).toEqual([
    "tool",
    "http",
    "log",
    "config",
    "agent",
    "run",
    "result",
    "secrets",
    "ask",
  ]);
  for (const { guest, types } of capabilities) {
    expect(guest.length).toBeGreaterThan(0);
    expect(types).toContain("interface G {");
  }
});

test("no host method can be asked for a secret", () => {
  const names = loadCapabilities().flatMap(({ name, methods, notices }) =>
    [...methods.keys(), ...notices.keys()].map((method) => `${name}.${method}`),
  );
  expect(names).toEqual(["http.makeHttpRequest", "http.abort", "log.write", "run.progress", "ask.elicit"]);
});
