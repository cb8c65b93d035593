import fc from "fast-check";
import { expect, test } from "vitest";
import { Secret } from "../core/secret.ts";
import { parseTemplate, renderTemplate } from "./secret-template.ts";

const VALUES = new Map(["A", "B", "API_TOKEN"].map((name) => [name, new Secret(`(${name})`)]));

/** What goes out, the names found, and where warnings point. */
function outcome(text: string): readonly [string, readonly string[], readonly number[]] {
  const { parts, names, warnings } = parseTemplate(text);
  return [renderTemplate(parts, VALUES).reveal(), names, warnings.map(({ offset }) => offset)];
}

test.each([
  ["Bearer {{API_TOKEN}}", "Bearer (API_TOKEN)", ["API_TOKEN"], []],
  ["<<API_TOKEN>>", "(API_TOKEN)", ["API_TOKEN"], []],
  ["{{ A }}", "(A)", ["A"], []],
  ["<<\tA >>", "(A)", ["A"], []],
  ["{{A}}:{{B}}:<<A>>", "(A):(B):(A)", ["A", "B"], []],
  ["{{A}}{{B}}", "(A)(B)", ["A", "B"], []],
  ["<<<A>>>", "<(A)>", ["A"], []],
  ["{{{A}}}", "{(A)}", ["A"], []],
  ["{{<<A>>}}", "{{(A)}}", ["A"], [0]],
  ["<<A}}", "<<A}}", [], [0]],
  ["{{A>>", "{{A>>", [], [0]],
  ["<<a>>", "<<a>>", [], [0]],
  ["{{Api_Token}}", "{{Api_Token}}", [], [0]],
  ["<<__proto__>>", "<<__proto__>>", [], [0]],
  ["{{constructor}}", "{{constructor}}", [], [0]],
  ["{{1A}}", "{{1A}}", [], [0]],
  ["{{A B}}", "{{A B}}", [], [0]],
  ["{{}} {{A}}", "{{}} (A)", ["A"], [0]],
  ["a {{ b << c", "a {{ b << c", [], [2, 7]],
  ["{{A", "{{A", [], [0]],
  ["a } b > c { d < e", "a } b > c { d < e", [], []],
  [`{{${"N".repeat(65)}}}`, `{{${"N".repeat(65)}}}`, [], [0]],
  ["{{arg}}", "{{arg}}", [], [0]],
  ["", "", [], []],
])("%j becomes %j", (text, rendered, names, warnings) => {
  expect(outcome(text)).toEqual([rendered, names, warnings]);
});

test("the value of a secret is never searched for templates", () => {
  const values = new Map([
    ["A", new Secret("<<B>>{{B}}")],
    ["B", new Secret("other secret")],
  ]);
  expect(renderTemplate(parseTemplate("x {{A}}").parts, values).reveal()).toBe("x <<B>>{{B}}");
});

test("an unknown name and an empty value end with SECRET_MISSING instead of half a header", () => {
  const { parts } = parseTemplate("Bearer {{A}}");
  expect(() => renderTemplate(parts, new Map())).toThrow(expect.objectContaining({ code: "SECRET_MISSING" }));
  expect(() => renderTemplate(parts, new Map([["A", new Secret("")]]))).toThrow(expect.objectContaining({ code: "SECRET_MISSING" }));
});

test("what no header can carry is refused in the text and in the outcome", () => {
  for (const text of ["a\r\nHost: evil", "a\nb", "a\u0000b", "Łódź", "a\u{1F600}", "\u560a", "a\u007f"]) {
    expect(() => parseTemplate(text), JSON.stringify(text)).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
    expect(() => renderTemplate(parseTemplate("{{A}}").parts, new Map([["A", new Secret(text)]]))).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST" }),
    );
  }
  expect(outcome("caf\u00e9\t%0d%0a")[0]).toBe("caf\u00e9\t%0d%0a");
});

test("parts put together with their marks give the text again, whatever the text", () => {
  const piece = fc.constantFrom("{{", "}}", "<<", ">>", "{", "<", "A", "B1_", "a", " ", "\t", "{{A}}", "<<B>>", "x");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const { parts, names } = parseTemplate(text);
      // Blanks inside a template are the one thing that parsing drops.
      const rebuilt = parts.map((part) => (part.kind === "text" ? part.text : `{{${part.name}}}`)).join("");
      const plain = text.replace(/(?:\{\{|<<)[ \t]*([A-Z][A-Z0-9_]*)[ \t]*(?:\}\}|>>)/g, (whole, name: string) =>
        whole.startsWith("{{") === whole.endsWith("}}") ? `{{${name}}}` : whole,
      );
      expect(rebuilt).toBe(plain);
      expect(new Set(names).size).toBe(names.length);
    }),
    { numRuns: 500 },
  );
});
