import { expect, test } from "vitest";
import { Secret } from "../core/secret.ts";
import { estimateBits, parseSecretName, parseSecretValue, weaknessOf } from "./secret-value.ts";

const INVALID = expect.objectContaining({ code: "INVALID_REQUEST" });

test("names are capital letters, digits and underscores, beginning with a letter, at most 64 long", () => {
  for (const name of ["A", "API_TOKEN", "K9_", "N".repeat(64)]) expect(parseSecretName(name)).toBe(name);
  for (const name of ["", "a", "1A", "_A", "A-B", "A B", "__proto__", "constructor", "N".repeat(65), "A\n", "Ä"]) {
    expect(() => parseSecretName(name), name).toThrow(INVALID);
  }
});

test("one line break at the end is dropped, and only one", () => {
  expect(parseSecretValue("A", new Secret("value-12\n")).reveal()).toBe("value-12");
  expect(parseSecretValue("A", new Secret("value-12\r\n")).reveal()).toBe("value-12");
  expect(() => parseSecretValue("A", new Secret("value-12\n\n"))).toThrow(INVALID);
});

test("values a header cannot carry are refused without showing them", () => {
  for (const value of ["canary-12\r\nX: y", "canary-12\u0000x", "canary-12\u0142x", "canary-12\u{1F600}", "canary-12\u007fx"]) {
    const attempt = (): unknown => parseSecretValue("A", new Secret(value));
    expect(attempt, JSON.stringify(value)).toThrow(INVALID);
    expect(attempt).not.toThrow(/canary/);
  }
  expect(parseSecretValue("A", new Secret("caf\u00e9-caf\u00e9")).reveal()).toBe("caf\u00e9-caf\u00e9");
});

test("a blank or tab at an end is refused, also before a line break and with allowShort, and one inside is fine", () => {
  for (const value of [
    " canary-0123456789",
    "canary-0123456789 ",
    "\tcanary-0123456789",
    "canary-0123456789\t\n",
    "canary-0123456789\u00a0",
  ]) {
    for (const allowShort of [false, true]) {
      const attempt = (): unknown => parseSecretValue("A", new Secret(value), { allowShort });
      expect(attempt, JSON.stringify(value)).toThrow(INVALID);
      expect(attempt).toThrow("has a blank or tab at its beginning or end");
      expect(attempt).not.toThrow(/canary/);
    }
  }
  expect(parseSecretValue("A", new Secret("canary 0123456789\n")).reveal()).toBe("canary 0123456789");
});

test("values have 16 characters, or 8 with 40 bits; weaker ones only if allowed, with what is lost; empty never", () => {
  const weakness = (text: string): string | undefined => weaknessOf(new Secret(text));
  for (const good of ["a".repeat(16), "value-of-a", "own-value", "k9x2m4q7", "zqmwhktpe"]) {
    expect(weakness(good), good).toBeUndefined();
    expect(parseSecretValue("A", new Secret(good)).reveal()).toBe(good);
  }
  for (const guessable of ["12345678", "password", "abcdefgh1", "aaaaaaaaaaaaaaa", "9876543210", "98765432198765x"]) {
    expect(weakness(guessable), guessable).toBe("guessable");
    expect(() => parseSecretValue("A", new Secret(guessable)), guessable).toThrow(INVALID);
    expect(parseSecretValue("A", new Secret(guessable), { allowShort: true }).reveal()).toBe(guessable);
  }
  expect(weakness("X9-k\u00e92!")).toBe("unmasked");
  expect(() => parseSecretValue("A", new Secret("X9-k\u00e92!"))).toThrow(INVALID);
  expect(parseSecretValue("A", new Secret("1234"), { allowShort: true }).reveal()).toBe("1234");
  expect(() => parseSecretValue("A", new Secret("\n"), { allowShort: true })).toThrow(INVALID);
});

test("the estimate is characters times the bits of the classes used, a run counting as one", () => {
  const bits = (text: string): number => Math.round(estimateBits(text) * 10) / 10;
  expect(["", "a", "aB", "aB3", "aB3-", "aB3-\u00e9", "abc", "aab", "aaa1", "cba9", "12345678"].map(bits)).toEqual([
    0, 4.7, 11.4, 17.9, 26.3, 37.9, 4.7, 14.1, 10.3, 10.3, 3.3,
  ]);
});

test("values are at most 64 KiB", () => {
  expect(parseSecretValue("A", new Secret("x".repeat(65_536))).reveal().length).toBe(65_536);
  expect(() => parseSecretValue("A", new Secret("x".repeat(65_537)))).toThrow(INVALID);
  expect(() => parseSecretValue("A", new Secret("\u00e9".repeat(32_769)))).toThrow(INVALID);
});
