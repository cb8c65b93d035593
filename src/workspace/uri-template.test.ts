import { expect, test } from "vitest";
import { fillPlaces, placesOfText } from "./places.ts";
import { isTemplate, matchTemplate, uriFault } from "./uri-template.ts";

test.each([
  ["docs://handbook", undefined],
  ["test://template/{id}/data", undefined],
  ["https://docs.example/{page}?part={part}", undefined],
  ["handbook.md", "is no URI"],
  ["toolyard://tools/x", "the server's own"],
  ["docs://a b", "blank"],
  ["docs://{a}{b}", "two places in one part"],
  ["docs://{a}/{a}", "the same place twice"],
  ["docs://{not a place}", "no place"],
  ["{scheme}://x", "place in its scheme"],
])("the URI %s is %s", (uri, fault) => {
  if (fault === undefined) expect(uriFault(uri)).toBeUndefined();
  else expect(uriFault(uri)).toContain(fault);
});

test("a template matches whole parts only, and gives their values decoded", () => {
  const template = "test://t/{id}/data?part={part}";
  expect(isTemplate(template)).toBe(true);
  expect(isTemplate("test://t/x")).toBe(false);
  expect(matchTemplate(template, "test://t/a%2Fb%20c/data?part=2")).toEqual(
    new Map([
      ["id", "a/b c"],
      ["part", "2"],
    ]),
  );
  for (const uri of [
    "test://t/a/b/data?part=2",
    "test://t//data?part=2",
    "test://t/a/dataXpart=2",
    "x test://t/a/data?part=2",
    "test://t/%zz/data?part=2",
  ]) {
    expect(matchTemplate(template, uri)).toBeUndefined();
  }
});

test("a template takes no longer for a URI that almost matches", () => {
  const template = "test://{a}/{b}/{c}/{d}/{e}/end";
  const started = performance.now();
  expect(matchTemplate(template, `test://${"a-".repeat(2_000)}/b/c/d/e/en`)).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(100);
});

test("values are put in once: a place in a value stays text", () => {
  expect(placesOfText("{{a}} {{ b }} {{a}} {{1}} {a}")).toEqual(["a", "b"]);
  expect(
    fillPlaces(
      "{{a}}-{{ b }}-{{c}}",
      new Map([
        ["a", "{{b}}"],
        ["b", "$&"],
      ]),
    ),
  ).toBe("{{b}}-$&-{{c}}");
});
