import { expect, test } from "vitest";
import { bindingText, parseBinding } from "./binding.ts";

const INVALID = expect.objectContaining({ code: "INVALID_REQUEST" });

test("a binding is kept in canonical form, each host once", () => {
  expect(
    parseBinding({
      hosts: ["API.example.com.", "api.example.com", "https://Git.example:8443/api/*"],
      header: "X-Key",
      format: "Bearer %s",
      methods: ["get", "GET"],
    }),
  ).toEqual({ hosts: ["api.example.com", "https://git.example:8443/api"], header: "x-key", format: "Bearer %s", methods: ["GET"] });
  expect(parseBinding({ hosts: ["api.example.com"] })).toEqual({ hosts: ["api.example.com"] });
});

test("no host, any host, too many hosts and malformed restrictions are refused", () => {
  const hosts = ["api.example.com"];
  for (const binding of [
    { hosts: [] },
    { hosts: ["*"] },
    { hosts: ["*.com"] },
    { hosts: Array.from({ length: 65 }, (_, index) => `h${index}.example.com`) },
    { hosts, header: "X Key" },
    { hosts, header: "" },
    { hosts, format: "Bearer" },
    { hosts, format: "%s %s" },
    { hosts, format: "%s\n" },
    { hosts, methods: [] },
    { hosts, methods: ["GET /"] },
  ]) {
    expect(() => parseBinding(binding), JSON.stringify(binding).slice(0, 80)).toThrow(INVALID);
  }
});

test("its text for people names all it demands", () => {
  const binding = parseBinding({
    hosts: ["a.example.com", "b.example.com"],
    header: "X-Key",
    format: "Bearer %s",
    methods: ["GET", "POST"],
  });
  expect(bindingText(binding)).toBe('a.example.com, b.example.com in header x-key as "Bearer %s" with GET, POST');
});
