import { expect, test } from "vitest";
import { parseResultUri, readOnText, resultUri } from "./hints.ts";

const ID = "0123456789abcdefghijklmnop";

test("a URI of a result gives its id and range, and everything else gives none", () => {
  expect(parseResultUri(resultUri(ID))).toEqual({ id: ID, range: {} });
  expect(parseResultUri(`${resultUri(ID)}?offset=10&limit=20`)).toEqual({ id: ID, range: { offset: 10, limit: 20 } });
  const wrong = [
    "toolyard://results/",
    `toolyard://results/../${ID}`,
    `toolyard://results/${ID}/..`,
    `toolyard://results/${ID.toUpperCase()}`,
    `toolyard://results/${ID}?offset=-1`,
    `toolyard://results/${ID}?offset=1e3`,
    `toolyard://results/${ID}?other=1`,
    `toolyard://tools/${ID}`,
    `file:///results/${ID}`,
    `x toolyard://results/${ID}`,
    `toolyard://results/${ID}\n`,
  ];
  for (const uri of wrong) expect(parseResultUri(uri), uri).toBeUndefined();
});

test("how to read on names the tool or the resource, and for how long", () => {
  const options = { offset: 5, keptMs: 3_600_000 } as const;
  expect(readOnText(ID, { ...options, hint: "tool" })).toBe(
    `Read on with ReadWorkspaceResult {"id":"${ID}","offset":5}; the whole is kept for an hour.`,
  );
  expect(readOnText(ID, { ...options, keptMs: 600_000, hint: "resource" })).toBe(
    `Read on with the resource toolyard://results/${ID}?offset=5; the whole is kept for 10 min.`,
  );
  expect(readOnText(undefined, { ...options, hint: "tool" })).toBe("The rest could not be kept. Ask for less.");
});
