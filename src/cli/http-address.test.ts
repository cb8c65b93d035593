import { expect, test } from "vitest";
import { parseHttpAddress, parsePublicUrl } from "./http-address.ts";
import { UsageError } from "./usage-error.ts";

test.each([
  ["7337", { host: "127.0.0.1", port: 7337 }],
  ["0", { host: "127.0.0.1", port: 0 }],
  ["localhost:80", { host: "localhost", port: 80 }],
  ["0.0.0.0:8080", { host: "0.0.0.0", port: 8080 }],
  ["[::1]:7337", { host: "::1", port: 7337 }],
])("--http %s is understood", (text, expected) => {
  expect(parseHttpAddress(text)).toEqual(expected);
});

test.each(["", "http", "65536", "::1:80", "host:", "a b:1", "-1", "1.5", "http://x:1"])("--http %s is refused", (text) => {
  expect(() => parseHttpAddress(text)).toThrow(UsageError);
});

test("--public-url takes an origin and nothing more", () => {
  expect(parsePublicUrl("https://tools.example.com").origin).toBe("https://tools.example.com");
  for (const text of ["tools.example.com", "ftp://x", "https://x/path", "https://x?q", "https://me@x"]) {
    expect(() => parsePublicUrl(text)).toThrow(UsageError);
  }
});
