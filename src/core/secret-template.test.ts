import fc from "fast-check";
import { expect, test } from "vitest";
import { isHeaderValue } from "./http-header.ts";
import { Secret } from "./secret.ts";
import { basicCredentials, holdsTemplate, isSecretName, parseTemplate, renderTemplate, templateForm } from "./secret-template.ts";

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
      const rebuilt = parts.map((part) => (part.kind === "text" ? part.text : `{{${part.kind === "secret" ? part.name : ""}}}`)).join("");
      const plain = text.replace(/(?:\{\{|<<)[ \t]*([A-Z][A-Z0-9_]*)[ \t]*(?:\}\}|>>)/g, (whole, name: string) =>
        whole.startsWith("{{") === whole.endsWith("}}") ? `{{${name}}}` : whole,
      );
      expect(rebuilt).toBe(plain);
      expect(new Set(names).size).toBe(names.length);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["{{basic A B}}", "Basic KEEpOihCKQ==", ["A", "B"]],
  ["<< basic\tA  B >>", "Basic KEEpOihCKQ==", ["A", "B"]],
  ["{{basic A A}}", "Basic KEEpOihBKQ==", ["A"]],
])("%j makes the whole value of a Basic header", (text, rendered, names) => {
  expect(outcome(text)).toEqual([rendered, names, []]);
});

test.each([
  "{{Basic A B}}",
  "{{basic A}}",
  "{{basic A B API_TOKEN}}",
  "{{basic A, B}}",
  "{{basic a b}}",
  "{{basic A\u00a0B}}",
  "<<basic A B}}",
  "{{basicA B}}",
])("%j is no template and is sent as it stands", (text) => {
  expect(outcome(text)).toEqual([text, [], [0]]);
  expect(holdsTemplate(text)).toBe(false);
});

test("what was meant for Basic credentials is shown how they are written, by the same kind of mark", () => {
  const hints = ["{{basic A}}", "<< basic A, B >>", "{{a}}", "<<A"].map((text) => parseTemplate(text).warnings[0]?.message);
  expect(hints.map((hint) => /written (\S+(?: \w+ \S+)?):/.exec(hint ?? "")?.[1])).toEqual([
    ...["{{basic USER PASS}}", "<<basic USER PASS>>", "{{API_TOKEN}}", "<<API_TOKEN>>"],
  ]);
});

test("beside anything else Basic credentials are refused", () => {
  for (const text of ["Basic {{basic A B}}", "{{basic A B}} ", "{{basic A B}}{{A}}", "{{basic A B}}{{basic A B}}"]) {
    expect(() => parseTemplate(text), text).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  }
});

test.each([
  ["Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="],
  // RFC 7617, 2.1: as UTF-8.
  ["test", "123\u00a3", "Basic dGVzdDoxMjPCow=="],
  ["", "only:password", "Basic Om9ubHk6cGFzc3dvcmQ="],
])("user %j and password %j make the value of RFC 7617", (user, password, value) => {
  expect(basicCredentials(user, password)).toBe(value);
});

test("the form that a binding is compared with", () => {
  const form = (text: string): string | undefined => templateForm(parseTemplate(text));
  expect([form("Bearer {{A}}"), form("{{ A }}"), form("{{basic A B}}"), form("{{A}}:{{B}}"), form("plain")]).toEqual([
    ...["Bearer %s", "%s", "Basic %s", undefined, undefined],
  ]);
});

/** A second reader of the grammar, by hand and character by character. */
function readSlowly(text: string): readonly (string | readonly string[])[] {
  const found: (string | readonly string[])[] = [];
  let literal = "";
  let at = 0;
  const flush = (): void => {
    if (literal !== "") found.push(literal);
    literal = "";
  };
  while (at < text.length) {
    const names = templateAt(text, at);
    if (names === undefined) {
      literal += text.charAt(at);
      at += 1;
      continue;
    }
    flush();
    found.push(names.names);
    at = names.end;
  }
  flush();
  return found;
}

function templateAt(text: string, start: number): { readonly names: readonly string[]; readonly end: number } | undefined {
  const open = text.slice(start, start + 2);
  const close = open === "{{" ? "}}" : open === "<<" ? ">>" : undefined;
  const end = close === undefined ? -1 : text.indexOf(close, start + 2);
  if (close === undefined || end < 0) return undefined;
  const words = text
    .slice(start + 2, end)
    .split(/[ \t]+/)
    .filter((word) => word !== "");
  const names = words.length === 3 && words[0] === "basic" ? words.slice(1) : words;
  const isGood = (names.length === 1 || names.length !== words.length) && names.every(isSecretName);
  return isGood && names.length > 0 ? { names, end: end + 2 } : undefined;
}

test("a reader written anew finds the same templates in any text", () => {
  const piece = fc.constantFrom(
    "{{",
    "}}",
    "<<",
    ">>",
    "{",
    "}",
    "<",
    "A",
    "B1_",
    "basic",
    "Basic",
    "a",
    " ",
    "\t",
    "{{A}}",
    "<<B>>",
    "{{basic A B}}",
    "x",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join("");
      const expected = readSlowly(text);
      const isRefused = expected.length > 1 && expected.some((one) => typeof one !== "string" && one.length === 2);
      if (isRefused || !isHeaderValue(text)) {
        expect(() => parseTemplate(text)).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
        return;
      }
      const { parts } = parseTemplate(text);
      const found = parts.map((part) =>
        part.kind === "text" ? part.text : part.kind === "secret" ? [part.name] : [part.user, part.password],
      );
      expect(found).toEqual(expected);
      expect(holdsTemplate(text)).toBe(expected.some((one) => typeof one !== "string"));
    }),
    { numRuns: 1_000 },
  );
});
