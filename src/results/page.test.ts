import fc from "fast-check";
import { expect, test } from "vitest";
import { cutPage } from "./page.ts";

test("pages of any size put together are the whole text, and none splits a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (text, limit) => {
      let read = "";
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = cutPage(text, { offset, limit });
        expect(page.text.isWellFormed()).toBe(true);
        expect(page.text.length).toBeLessThanOrEqual(Math.max(2, limit));
        read += page.text;
        offset = page.nextOffset;
      }
      expect(read).toBe(text);
    }),
  );
});

test("an offset inside of a character begins with that character, and one past the end is an empty last page", () => {
  expect(cutPage("a😀b", { offset: 2, limit: 1 })).toEqual({ text: "😀", offset: 1, nextOffset: 3 });
  expect(cutPage("a😀b", { offset: 3 })).toEqual({ text: "b", offset: 3 });
  expect(cutPage("abc", { offset: 99 })).toEqual({ text: "", offset: 3 });
  expect(cutPage("abc", {})).toEqual({ text: "abc", offset: 0 });
  expect(cutPage("", {})).toEqual({ text: "", offset: 0 });
});
