import { expect, test } from "vitest";
import { parseHostPattern } from "../core/host-pattern.ts";
import { needsTrust, parseTarget } from "./target.ts";

test("a URL is kept in one spelling: no trailing dot, no fragment, host in lower case", () => {
  expect(parseTarget("HTTPS://EXAMPLE.com.:443/A?b=1#c").href).toBe("https://example.com/A?b=1");
  expect(parseTarget("http://[0::1]:8080").href).toBe("http://[::1]:8080/");
});

test("rules for private hosts are known without DNS", () => {
  const needs = (text: string) => needsTrust(parseHostPattern(text, { kind: "allowed" }));
  expect(["localhost:80", "10.0.0.1:80", "[::1]:80", "[fd12::1]:80", "nas.local:80", "redis:6379"].map(needs)).toEqual([
    true,
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(["api.example.com", "*.example.com", "1.1.1.1:443", "example.com:8443"].map(needs)).toEqual([false, false, false, false]);
});
