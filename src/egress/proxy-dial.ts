/**
 * Opens connections to public addresses through a proxy. It is told the judged address, never the name, so that it cannot
 * resolve it to another one; TLS goes from end to end, so that it sees nothing and can change nothing.
 */
import { isIP, type Socket } from "node:net";
import { ToolError } from "../core/errors.ts";
import { classifyAddress } from "./address.ts";
import type { Dial, Dialed, DialTarget } from "./connector.ts";
import { CONNECT_TIMEOUT_MS, secureSocket } from "./dial.ts";
import { connectionError } from "./first-connection.ts";

/** See {@link createProxyDial}. */
export interface ProxyDialOptions {
  /** Opens connections to private addresses and this machine: what a person trusted there is not the proxy's business. */
  readonly direct: Dial;
  /** PEM certificates of hosts to accept instead of the built-in ones. */
  readonly ca?: string;
}

/** A dial through `http://[user:password@]host:port` (CONNECT). Throws `ToolError` INVALID_REQUEST for another kind of proxy. */
export function createProxyDial(proxy: URL, { direct, ca }: ProxyDialOptions): Dial {
  if (proxy.protocol !== "http:") {
    throw new ToolError(
      "INVALID_REQUEST",
      'A proxy is written as "http://host:port" or "http://user:password@host:port"; other kinds are not supported.',
    );
  }
  return async (target) => {
    if (!target.addresses.every((address) => classifyAddress(address, "dns") === "public")) return direct(target);
    const endsAt = performance.now() + CONNECT_TIMEOUT_MS;
    const tunnel = await openTunnel(proxy, target, endsAt);
    if (!target.isTls) return tunnel;
    const securing = { hostname: target.hostname, endsAt, timeoutCode: "PROXY_TIMEOUT", ca };
    return { socket: await secureSocket(tunnel.socket, securing), remoteAddress: tunnel.remoteAddress };
  };
}

/** A way through the proxy to the first judged address that it reaches. */
async function openTunnel(proxy: URL, { port, addresses }: DialTarget, endsAt: number): Promise<Dialed> {
  let lastError: unknown;
  for (const address of addresses) {
    try {
      const authority = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
      return { socket: await askProxy(proxy, authority, endsAt - performance.now()), remoteAddress: address };
    } catch (error) {
      lastError = error;
    }
  }
  throw lastError;
}

/** What the proxy or Node say is not passed on: it may hold the password of the proxy. */
async function askProxy(proxy: URL, authority: string, timeoutMs: number): Promise<Socket> {
  // Loaded with the first request: it brings Node's own client and costs every command some 30 ms.
  const { request } = await import("node:http");
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const fail = (code: string): void => reject(connectionError(code));
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const asking = request({
    host: proxy.hostname.replace(/^\[|\]$/gu, ""),
    port: proxy.port === "" ? 80 : Number(proxy.port),
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...(user !== ":" && { "proxy-authorization": `Basic ${Buffer.from(user).toString("base64")}` }) },
    // The shared agent would follow the variables of the environment under NODE_USE_ENV_PROXY.
    agent: false,
  });
  // Not a signal: it would end the tunnel as well, long after it was opened.
  const timer = setTimeout(
    () => {
      fail("PROXY_TIMEOUT");
      asking.destroy();
    },
    Math.max(0, timeoutMs),
  );
  asking.once("error", () => fail("PROXY_UNREACHABLE"));
  asking.once("connect", (answer, socket, head) => {
    // Bytes before anything was asked are not from the host.
    if (answer.statusCode === 200 && head.length === 0) return resolve(socket);
    socket.destroy();
    fail("PROXY_REFUSED");
  });
  asking.end();
  return promise.finally(() => clearTimeout(timer));
}
