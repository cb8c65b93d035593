import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/egress/redactor.ts";
import { maskedByOracle, maskedInPieces, maskings } from "../support/redactor-oracle.ts";

test("the redactor, in one and in pieces, masks what a search for every form at every place finds, and nothing else", () => {
  fc.assert(
    fc.property(maskings, ([values, body, cuts]) => {
      const expected = maskedByOracle(body, values).toString("latin1");
      expect(createRedactor(values).redactBytes(body).toString("latin1")).toBe(expected);
      expect(maskedInPieces(body, values, cuts).toString("latin1")).toBe(expected);
    }),
    { numRuns: 5_000 },
  );
});
