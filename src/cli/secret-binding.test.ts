import { expect, test } from "vitest";
import { destinationText, parseBindingOptions } from "./secret-binding.ts";

test("options become a binding in canonical form; without any there is none", () => {
  expect(parseBindingOptions({})).toBeUndefined();
  expect(parseBindingOptions({ host: ["API.example.com"], header: "X-Key", format: "Key %s", method: ["get", "Propfind"] })).toEqual({
    hosts: ["api.example.com"],
    header: "x-key",
    format: "Key %s",
    methods: ["GET", "PROPFIND"],
  });
});

test.each([
  [{ header: "X-Key" }, "Add --host HOST"],
  [{ host: ["api.example.com"], method: ["GTE"] }, "did you mean GET?"],
  [{ host: ["api.example.com"], method: ["TRACE"] }, "no request of a script"],
  [{ host: ["api.example.com"], method: ["two words"] }, "--method is not"],
  [{ host: ["api.example.com"], format: "%s and %s" }, "--format has to hold"],
  [{ host: ["api.example.com"], header: "" }, "--header is not"],
])("%j is wrong usage", (options, said) => {
  expect(() => parseBindingOptions(options)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENTS", message: expect.stringContaining(said) }),
  );
});

test("people see every host as the address that requests have", () => {
  expect(destinationText({ hosts: ["api.example.com", "http://localhost:80"], header: "x-key" })).toBe(
    "https://api.example.com, http://localhost:80 in header x-key",
  );
});
