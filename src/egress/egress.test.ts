import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { callEgress, send, serve, trusting } from "../../test/security/egress-support.ts";
import { silentLog } from "../core/log.ts";
import { createEgress } from "./egress.ts";

test("the proxy of the settings is what connections are opened with: one that cannot be used is told at once", () => {
  // One that can be used would open connections: test/security/egress-proxy.test.ts uses it, with loopback behind it.
  expect(() => createEgress({ log: silentLog, proxy: new URL("socks5://proxy.example.com:1080") })).toThrowError(
    expect.objectContaining({ code: "INVALID_REQUEST" }),
  );
});

test("requests at the same time go over connections of their own, so that none waits for the answer to another", async () => {
  const sockets = new Set<unknown>();
  const waiting: ServerResponse[] = [];
  const server = await serve((request, response) => {
    sockets.add(request.socket);
    waiting.push(response);
    if (waiting.length === 3) for (const each of waiting) each.end("ok");
  });
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`) });
  await Promise.all([1, 2, 3].map((number) => send(call, `http://127.0.0.1:${server.port}/${number}`)));
  expect(sockets.size).toBe(3);
});
