import { expect, test } from "vitest";
import { Secret } from "../core/secret.ts";
import { parseSecretName, parseSecretValue } from "./secret-value.ts";

const INVALID = expect.objectContaining({ code: "INVALID_REQUEST" });

test("names are capital letters, digits and underscores, beginning with a letter, at most 64 long", () => {
  for (const name of ["A", "API_TOKEN", "K9_", "N".repeat(64)]) expect(parseSecretName(name)).toBe(name);
  for (const name of ["", "a", "1A", "_A", "A-B", "A B", "__proto__", "constructor", "N".repeat(65), "A\n", "Ä"]) {
    expect(() => parseSecretName(name), name).toThrow(INVALID);
  }
});

test("one line break at the end is dropped, and only one", () => {
  expect(parseSecretValue("A", new Secret("12345678\n")).reveal()).toBe("12345678");
  expect(parseSecretValue("A", new Secret("12345678\r\n")).reveal()).toBe("12345678");
  expect(() => parseSecretValue("A", new Secret("12345678\n\n"))).toThrow(INVALID);
});

test("values a header cannot carry are refused without showing them", () => {
  for (const value of ["canary-12\r\nX: y", "canary-12\u0000x", "canary-12\u0142x", "canary-12\u{1F600}", "canary-12\u007fx"]) {
    const attempt = (): unknown => parseSecretValue("A", new Secret(value));
    expect(attempt, JSON.stringify(value)).toThrow(INVALID);
    expect(attempt).not.toThrow(/canary/);
  }
  expect(parseSecretValue("A", new Secret("caf\u00e9-caf\u00e9")).reveal()).toBe("caf\u00e9-caf\u00e9");
});

test("lengths are 8 characters to 64 KiB, shorter only if allowed, empty never", () => {
  expect(parseSecretValue("A", new Secret("12345678")).reveal()).toBe("12345678");
  expect(() => parseSecretValue("A", new Secret("1234567"))).toThrow(INVALID);
  expect(parseSecretValue("A", new Secret("1234"), { allowShort: true }).reveal()).toBe("1234");
  expect(() => parseSecretValue("A", new Secret("\n"), { allowShort: true })).toThrow(INVALID);
  expect(parseSecretValue("A", new Secret("x".repeat(65_536))).reveal().length).toBe(65_536);
  expect(() => parseSecretValue("A", new Secret("x".repeat(65_537)))).toThrow(INVALID);
  expect(() => parseSecretValue("A", new Secret("\u00e9".repeat(32_769)))).toThrow(INVALID);
});
