import { expect, test } from "vitest";
import { publishSchema } from "./publish-schema.ts";

test("a schema without type and properties is published with both", () => {
  expect(publishSchema({})).toEqual({ type: "object", properties: {} });
});

test("dialect and identifier are not published, the rest is as written", () => {
  const properties = { id: { type: "string" } };
  expect(
    publishSchema({
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "https://example.com/x",
      id: "y",
      properties,
      required: ["id"],
    }),
  ).toEqual({ type: "object", properties, required: ["id"] });
});
