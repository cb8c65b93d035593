import fc from "fast-check";
import { expect, test } from "vitest";
import { Secret } from "../core/secret.ts";
import { mergeQuery } from "./request-query.ts";

const KEY = new Map([["key", new Secret("a&b=c d+é")]]);
const SENT = "key=a%26b%3Dc%20d%2B%C3%A9";

test.each([
  ["https://h.example/p", `?${SENT}`, ""],
  ["https://h.example/p?", `?${SENT}`, ""],
  ["https://h.example/p?key=own", `?${SENT}`, ""],
  ["https://h.example/p?key=1&key=2&key", `?${SENT}`, ""],
  ["https://h.example/p?k%65y=1&%6b%65%79=2&%6Bey=3", `?${SENT}`, ""],
  ["https://h.example/p?q=a%20b+c&key=1&r=%7e", `?q=a%20b+c&r=%7e&${SENT}`, "?q=a%20b+c&r=%7e"],
  [
    "https://h.example/p?KEY=1&keys=2&ke%20y=3&key%5B%5D=4",
    `?KEY=1&keys=2&ke%20y=3&key%5B%5D=4&${SENT}`,
    "?KEY=1&keys=2&ke%20y=3&key%5B%5D=4",
  ],
  ["https://h.example/p?&&a=1", `?a=1&${SENT}`, "?a=1"],
])("%s", (url, sent, shown) => {
  const urls = mergeQuery(new URL(url), KEY, new Set());
  expect([urls.sent.search, urls.shown.search, urls.sent.pathname, urls.secrets.length]).toEqual([sent, shown, "/p", 1]);
});

test("a parameter that may not be set twice ends the request, in any spelling, and its value is not repeated", () => {
  for (const search of ["?key=mine", "?k%65y=mine", "?a=1&key=mine", "?key"]) {
    const attempt = (): unknown => mergeQuery(new URL(`https://h.example/${search}`), KEY, new Set(["key"]));
    expect(attempt, search).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
    expect(attempt, search).not.toThrow(/mine|a&b/);
  }
  expect(mergeQuery(new URL("https://h.example/?other=1"), KEY, new Set(["key"])).sent.search).toBe(`?other=1&${SENT}`);
});

test("without anything to add the URL stays the very same", () => {
  const url = new URL("https://h.example/?b=%20&&a");
  expect(mergeQuery(url, new Map(), new Set(["b"]))).toEqual({ sent: url, shown: url, secrets: [] });
});

test("whatever script and tools.json write, a server reads the tool's value once and the script's other parameters as they were", () => {
  const name = fc.constantFrom("key", "KEY", "a", "k%65y", "%6Bey", "é", "a b", "");
  const pair = fc.tuple(name, fc.string({ maxLength: 6 }));
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 6 }), fc.string({ minLength: 1, maxLength: 12 }), (pairs, value) => {
      const search = pairs.map(([one, text]) => `${one}=${encodeURIComponent(text.toWellFormed())}`).join("&");
      const url = new URL(`https://h.example/?${search}`);
      const { sent, shown } = mergeQuery(url, new Map([["key", value]]), new Set());
      const before = [...url.searchParams].filter(([one]) => one !== "key");
      expect([...sent.searchParams]).toEqual([...before, ["key", value.toWellFormed()]]);
      expect([...shown.searchParams]).toEqual(before);
    }),
    { numRuns: 300 },
  );
});
