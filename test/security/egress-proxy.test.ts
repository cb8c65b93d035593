import { once } from "node:events";
import { createServer as createHttpServer, type IncomingHttpHeaders } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ToolError } from "../../src/core/errors.ts";
import type { Log } from "../../src/core/log.ts";
import type { EgressOptions } from "../../src/egress/egress.ts";
import { createProxyDial } from "../../src/egress/proxy-dial.ts";
import { callEgress, failure, loopbackDial, secretHeader, send, serve, stubLookup, textOf, trusting } from "./egress-support.ts";
import { selfSigned } from "./self-signed.ts";

const PUBLIC = "93.184.215.14";
const PUBLIC_6 = "2606:2800:21f::15";
const PASSWORD = "proxy-pass-0123/4";

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  // A TCP server that listens has an AddressInfo.
  return (server.address() as AddressInfo).port;
}

/** A proxy that leads every CONNECT to one port of loopback, whatever it was asked for; `refuse` says which with what status. */
async function startProxy(targetPort: number, refuse: (authority: string) => number | undefined = () => undefined) {
  const asked: { readonly authority: string; readonly headers: IncomingHttpHeaders }[] = [];
  const plain: string[] = [];
  const server = createHttpServer((request, response) => {
    plain.push(request.url ?? "");
    response.writeHead(502).end();
  });
  server.on("connect", (request, socket) => {
    asked.push({ authority: request.url ?? "", headers: request.headers });
    const status = refuse(request.url ?? "");
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} Refused ${PASSWORD}\r\n\r\n`);
    const onward = connect(targetPort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    socket.on("error", () => onward.destroy());
    onward.on("error", () => socket.destroy());
  });
  const port = await listen(server);
  return { url: new URL(`http://user:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`), asked, plain };
}

const identity = selfSigned("api.example.com");

async function startTls(names: unknown[] = [], { key, cert } = identity): Promise<number> {
  const noteName = (name: string, done: (error: Error | null) => void): void => {
    names.push(name);
    done(null);
  };
  return listen(
    createTlsServer({ key, cert, SNICallback: noteName }, (request, response) => response.end(`hello ${request.headers.host}`)),
  );
}

/** An egress with a proxy, for names that are stubbed. */
function through(proxy: URL, ...answers: readonly (readonly string[])[]): Partial<EgressOptions> {
  return { dial: createProxyDial(proxy, { direct: loopbackDial, ca: identity.cert }), lookup: stubLookup(...answers).lookup };
}

test("a proxy is asked for the judged address, never for the name, and TLS inside is checked for the name", async () => {
  const names: unknown[] = [];
  const proxy = await startProxy(await startTls(names));
  const call = callEgress({}, through(proxy.url, [PUBLIC]));
  expect(textOf(await send(call, "https://api.example.com/"))).toBe("hello api.example.com");
  expect(proxy.asked).toEqual([
    {
      authority: `${PUBLIC}:443`,
      headers: expect.objectContaining({
        host: `${PUBLIC}:443`,
        "proxy-authorization": `Basic ${Buffer.from(`user:${PASSWORD}`).toString("base64")}`,
      }),
    },
  ]);
  expect(names).toEqual(["api.example.com"]);
  expect(proxy.plain).toEqual([]);
});

test("plain http goes through a tunnel too, an IPv6 address stands in brackets, and the next address is tried", async () => {
  const server = await serve((request, response) => response.end(JSON.stringify(request.headers)));
  const proxy = await startProxy(server.port, (authority) => (authority.startsWith(PUBLIC) ? 502 : undefined));
  const call = callEgress({ policy: trusting("api.example.com:8080") }, through(proxy.url, [PUBLIC, PUBLIC_6]));
  const headers = textOf(await send(call, "http://api.example.com:8080/"));
  expect(proxy.asked.map(({ authority }) => authority)).toEqual([`${PUBLIC}:8080`, `[${PUBLIC_6}]:8080`]);
  // What the proxy is told is not told to the host.
  expect(headers).not.toMatch(/proxy|Basic/iu);
  expect(JSON.parse(headers).host).toBe("api.example.com:8080");
});

test("a proxy opens nothing that would be refused without it, and is not asked for private hosts that are trusted", async () => {
  const server = await serve((_request, response) => response.end("inside"));
  const proxy = await startProxy(server.port);
  for (const answer of ["10.0.0.7", "127.0.0.1", "169.254.169.254", "::1", "64:ff9b::a00:1"]) {
    const error = await failure(send(callEgress({}, through(proxy.url, [answer])), "https://api.example.com/"));
    expect([answer, error.code]).toEqual([answer, "HOST_NOT_ALLOWED"]);
  }
  for (const url of ["https://10.0.0.7/", "http://127.0.0.1/", "https://[::1]/", "http://metadata.google.internal/"]) {
    expect((await failure(send(callEgress({}, through(proxy.url, [PUBLIC])), url))).code).toBe("HOST_NOT_ALLOWED");
  }
  const local = callEgress({ policy: trusting(`127.0.0.1:${server.port}`) }, through(proxy.url, [PUBLIC]));
  expect(textOf(await send(local, `http://127.0.0.1:${server.port}/`))).toBe("inside");
  const named = callEgress({ policy: trusting(`nas.example.com:${server.port}`) }, through(proxy.url, ["127.0.0.1"]));
  expect(textOf(await send(named, `http://nas.example.com:${server.port}/`))).toBe("inside");
  expect(proxy.asked).toEqual([]);
});

test("a proxy that answers in the host's place is found out: its certificate is not accepted", async () => {
  for (const [other, reason] of [
    [selfSigned("api.example.com"), "DEPTH_ZERO_SELF_SIGNED_CERT"],
    [selfSigned("proxy.example.com"), "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ] as const) {
    const proxy = await startProxy(await startTls([], other));
    const call = callEgress({ toolHeaders: secretHeader("X-Api-Key", "canary-0123456789") }, through(proxy.url, [PUBLIC]));
    expect((await failure(send(call, "https://api.example.com/"))).data).toEqual({ host: "api.example.com:443", reason });
  }
});

test("a host that is known under another name is not accepted through a proxy either", async () => {
  const proxy = await startProxy(await startTls());
  const call = callEgress({}, through(proxy.url, [PUBLIC]));
  const error = await failure(send(call, "https://other.example.com/"));
  expect(error.data).toEqual({ host: "other.example.com:443", reason: "ERR_TLS_CERT_ALTNAME_INVALID" });
});

test("what goes wrong with a proxy is told without its password, in errors and in the log", async () => {
  const lines: unknown[] = [];
  const note = (...line: readonly unknown[]): void => void lines.push(line);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const refusing = await startProxy(1, () => 407);
  const garbage = createTcpServer((socket) => socket.on("error", () => undefined).end(`SSH-2.0 ${PASSWORD}\r\n`));
  const early = createTcpServer((socket) => socket.on("error", () => undefined).write("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"));
  const at = (port: number): URL => new URL(`http://user:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`);
  const outcomes = await Promise.all(
    [refusing.url, at(await listen(garbage)), at(await listen(early)), at(1)].map(async (proxy) => {
      const options = through(proxy, [PUBLIC]);
      return failure(send(callEgress({}, { ...options, log }), "https://api.example.com/"));
    }),
  );
  expect(outcomes.map((error) => [error.code, error.data.reason])).toEqual([
    ["NETWORK_ERROR", "PROXY_REFUSED"],
    ["NETWORK_ERROR", "PROXY_UNREACHABLE"],
    ["NETWORK_ERROR", "PROXY_REFUSED"],
    ["NETWORK_ERROR", "PROXY_UNREACHABLE"],
  ]);
  const said = JSON.stringify([outcomes.map((error) => [error.message, error.data, error.stack, error.cause]), lines]);
  expect(said).not.toContain(PASSWORD);
  expect(said).not.toContain(Buffer.from(`user:${PASSWORD}`).toString("base64").slice(0, 20));
});

test.each(["https://proxy.example.com", "socks5://proxy.example.com:1080", "file:///etc/proxy"])("%s is refused as a proxy", (text) => {
  expect(() => createProxyDial(new URL(text), { direct: loopbackDial })).toThrowError(expect.objectContaining({ code: "INVALID_REQUEST" }));
  expect(() => createProxyDial(new URL(text), { direct: loopbackDial })).toThrowError(ToolError);
});
