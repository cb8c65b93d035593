import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startSlowListener } from "../../test/support/slow-listener.ts";
import { firstConnection } from "./first-connection.ts";

const isLinux = process.platform === "linux";

test.runIf(isLinux)("an address that is slow to answer is waited for, though the next one refuses meanwhile", async () => {
  const slow = await startSlowListener();
  const connecting = firstConnection(["127.0.0.1", "::1", "127.0.0.2"], slow.port, 10_000);
  await slow.attempted();
  slow.release();
  const socket = await connecting;
  onTestFinished(() => void socket.destroy());
  // The system asks again after a second: longer than both others had, with their refusals, before this one answered.
  expect(socket.remoteAddress).toBe("127.0.0.1");
});

test.runIf(isLinux)("a dead first address costs its head start, not the time to connect", async () => {
  const slow = await startSlowListener();
  const server = createServer((socket) => socket.end());
  server.listen(slow.port, "127.0.0.2");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const startedAt = performance.now();
  const socket = await firstConnection(["127.0.0.1", "127.0.0.2"], slow.port, 10_000);
  onTestFinished(() => void socket.destroy());
  expect(socket.remoteAddress).toBe("127.0.0.2");
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test("where no address takes the connection, the error is that of the host, not that of a network this machine lacks", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  // The broadcast address has no way for TCP.
  await expect(firstConnection(["255.255.255.255", "127.0.0.1"], port, 10_000)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await expect(firstConnection([], port, 10_000)).rejects.toMatchObject({ code: "ENOTFOUND" });
});
