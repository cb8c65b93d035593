import { constants } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { startSlowListener } from "../../test/support/slow-listener.ts";
import { createDial, tlsOptions } from "./dial.ts";
import { toNetworkError } from "./network-error.ts";

test("everything that secures TLS is said aloud, so that no flag and no variable decides it", () => {
  // Each also by what it does, in test/security/egress-environment.test.ts; but old protocols need weak ciphers as well.
  const ciphers = `${constants.defaultCoreCipherList}:@SECLEVEL=2`;
  expect(tlsOptions()).toEqual({ rejectUnauthorized: true, minVersion: "TLSv1.2", ciphers });
  expect(tlsOptions("PEM").ca).toBe("PEM");
});

test("the judged addresses are dialed, whatever the name stands for", async () => {
  const { port } = await listen();
  const { socket, remoteAddress } = await createDial()({ hostname: "api.invalid", port, isTls: false, addresses: ["127.0.0.1"] });
  onTestFinished(() => void socket.destroy());
  expect(remoteAddress).toBe("127.0.0.1");
});

test.runIf(process.platform === "linux")("no connection within 10 s is said after 10 s, and not while there is time", async () => {
  const slow = await startSlowListener();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const dialing = outcome(createDial()({ hostname: "localhost", port: slow.port, isTls: false, addresses: ["127.0.0.1", "::1"] }));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(dialing.ended).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await dialing.end;
  expect(toNetworkError(dialing.ended, "localhost:1").message).toBe(
    "Request to localhost:1 failed: no connection within 10 s (CONNECT_TIMEOUT).",
  );
});

test("a server that takes the connection and never answers in TLS has the same 10 s", async () => {
  const { port, greeted } = await listen();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const dialing = outcome(createDial()({ hostname: "localhost", port, isTls: true, addresses: ["127.0.0.1"] }));
  await greeted;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(dialing.ended).toBeUndefined();
  await vi.advanceTimersByTimeAsync(5_000);
  await dialing.end;
  expect(dialing.ended).toMatchObject({ code: "CONNECT_TIMEOUT" });
});

/** `greeted`: the first bytes arrived. */
async function listen(): Promise<{ readonly port: number; readonly greeted: Promise<unknown> }> {
  const { promise: greeted, resolve } = Promise.withResolvers<unknown>();
  const server = createServer((socket) => {
    socket.on("error", () => undefined).once("data", resolve);
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  // A TCP server that listens has an AddressInfo.
  return { port: (server.address() as AddressInfo).port, greeted };
}

/** What a promise came to, as far as it has. */
function outcome(promise: Promise<unknown>): { readonly end: Promise<void>; ended: unknown } {
  const state: { end: Promise<void>; ended: unknown } = { end: Promise.resolve(), ended: undefined };
  const note = (ended: unknown): void => {
    state.ended = ended;
  };
  state.end = promise.then(note, note);
  return state;
}
