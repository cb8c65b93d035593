import { constants } from "node:crypto";
import { expect, test } from "vitest";
import { tlsOptions } from "./dial.ts";

test("everything that secures TLS is said aloud, so that no flag and no variable decides it", () => {
  // Each also by what it does, in test/security/egress-environment.test.ts; but old protocols need weak ciphers as well.
  const ciphers = `${constants.defaultCoreCipherList}:@SECLEVEL=2`;
  expect(tlsOptions()).toEqual({ rejectUnauthorized: true, minVersion: "TLSv1.2", ciphers });
  expect(tlsOptions("PEM").ca).toBe("PEM");
});
