import { expect, test } from "vitest";
import { silentLog } from "../core/log.ts";
import { createEgress } from "./egress.ts";

test("the proxy of the settings is what connections are opened with: one that cannot be used is told at once", () => {
  // One that can be used would open connections: test/security/egress-proxy.test.ts uses it, with loopback behind it.
  expect(() => createEgress({ log: silentLog, proxy: new URL("socks5://proxy.example.com:1080") })).toThrowError(
    expect.objectContaining({ code: "INVALID_REQUEST" }),
  );
});
