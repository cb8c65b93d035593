import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/egress/redactor.ts";
import { maskedInPieces, maskings } from "../support/redactor-oracle.ts";

test("the redactor, in one and in pieces, masks a value in every encoding of other programs, and nothing else", () => {
  fc.assert(
    fc.property(maskings, ({ value, body, expected, cuts }) => {
      const whole = createRedactor([value]).redactBytes(body).toString();
      expect(whole).toMatch(expected);
      expect(maskedInPieces(body, [value], cuts).toString()).toBe(whole);
    }),
    { numRuns: 5_000 },
  );
});
