import { expect, test } from "vitest";
import { cutText, nearestName, wellFormed } from "./text.ts";

test("a cut never splits a surrogate pair", () => {
  expect(cutText("a😀b", 2)).toBe("a");
  expect(cutText("a😀b", 3)).toBe("a😀");
  expect(cutText("a😀b", 4)).toBe("a😀b");
  expect(cutText("abc", 0)).toBe("");
});

test("lone surrogates become the replacement character", () => {
  expect(wellFormed("\udc00x\ud83d")).toBe("\ufffdx\ufffd");
  expect(wellFormed("😀")).toBe("😀");
});

test("the nearest name is one slip away, never a wild guess", () => {
  expect(nearestName("timout", ["timeout", "title"])).toBe("timeout");
  expect(nearestName("tiemout", ["timeout", "title"])).toBe("timeout");
  expect(nearestName("Amount", ["amount", "name"])).toBe("amount");
  expect(nearestName("zzz", ["timeout", "title"])).toBeUndefined();
  expect(nearestName("", ["a"])).toBeUndefined();
});
