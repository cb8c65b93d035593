import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { ToolError } from "../../src/core/errors.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { silentLog } from "../../src/core/log.ts";
import { createDial } from "../../src/egress/dial.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { callEgress, failure, noHeaders, secretHeader, send, serve, textOf, trusting } from "./egress-support.ts";
import { selfSigned } from "./self-signed.ts";

const MIB = 1 << 20;

/** A bare TCP server on loopback, for answers that no HTTP server would give. */
async function serveRaw(onSocket: (socket: Socket) => void): Promise<{ readonly port: number; readonly closed: Promise<void> }> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined).on("close", () => resolve());
    socket.once("data", () => onSocket(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  // A TCP server that listens has an AddressInfo.
  return { port: (server.address() as AddressInfo).port, closed };
}

const encodings = [
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
] as const;

test.each(encodings)("a body in %s is unpacked, and a bomb in it is stopped at the limit", async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(64 * MIB));
  expect(bomb.length).toBeLessThan(MIB);
  const server = await serve((request, response) =>
    response.setHeader("content-encoding", encoding).end(request.url === "/bomb" ? bomb : compress(Buffer.from("grüße"))),
  );
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`) });
  expect(textOf(await send(call, `http://127.0.0.1:${server.port}/`))).toBe("grüße");
  const before = process.memoryUsage.rss();
  const error = await failure(send(call, `http://127.0.0.1:${server.port}/bomb`));
  expect(error).toMatchObject({ code: "RESPONSE_TOO_LARGE", data: { limit: "responseBodyBytes", value: 5 * MIB } });
  expect(process.memoryUsage.rss() - before).toBeLessThan(48 * MIB);
});

test("a bomb within a bomb, an unknown encoding and a broken body end with the right code", async () => {
  const answers: Readonly<Record<string, readonly [string, Buffer]>> = {
    "/twice": ["gzip, gzip", gzipSync(gzipSync(Buffer.alloc(64 * MIB)))],
    "/thrice": ["gzip, gzip, gzip", gzipSync(gzipSync(gzipSync("x")))],
    "/unknown": ["compress", Buffer.from("x")],
    "/broken": ["gzip", Buffer.from("not gzip")],
    "/cut": ["gzip", gzipSync("a".repeat(1000)).subarray(0, 20)],
  };
  const server = await serve((request, response) => {
    const [encoding, body] = answers[request.url ?? ""] ?? ["identity", Buffer.alloc(0)];
    response.setHeader("content-encoding", encoding).end(body);
  });
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`) });
  const outcomes = await Promise.all(
    Object.keys(answers).map(async (path) => {
      const error = await failure(send(call, `http://127.0.0.1:${server.port}${path}`));
      return [path, error.code, error.data.reason];
    }),
  );
  expect(outcomes).toEqual([
    ["/twice", "RESPONSE_TOO_LARGE", undefined],
    ["/thrice", "NETWORK_ERROR", "UNKNOWN_CONTENT_ENCODING"],
    ["/unknown", "NETWORK_ERROR", "UNKNOWN_CONTENT_ENCODING"],
    ["/broken", "NETWORK_ERROR", "BAD_CONTENT_ENCODING"],
    ["/cut", "NETWORK_ERROR", "BAD_CONTENT_ENCODING"],
  ]);
});

test("a body over the limit is cut off, announced or not, and its connection is closed", async () => {
  const raw = await serveRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    const pump = (): void => {
      while (socket.writable && socket.write(`10000\r\n${"x".repeat(0x10000)}\r\n`));
    };
    socket.on("drain", pump);
    pump();
  });
  expect((await failure(send(callEgress({ policy: trusting(`127.0.0.1:${raw.port}`) }), `http://127.0.0.1:${raw.port}/`))).code).toBe(
    "RESPONSE_TOO_LARGE",
  );
  await raw.closed;
  const announced = await serve((_request, response) => response.writeHead(200, { "content-length": 6 * MIB }).end(Buffer.alloc(6 * MIB)));
  const call = callEgress({ policy: trusting(`127.0.0.1:${announced.port}`) });
  expect((await failure(send(call, `http://127.0.0.1:${announced.port}/`))).code).toBe("RESPONSE_TOO_LARGE");
  expect((await send(call, `http://127.0.0.1:${announced.port}/`, { method: "HEAD" })).status).toBe(200);
});

test("exactly the limit is accepted, one byte more is not", async () => {
  const server = await serve((request, response) => response.end(Buffer.alloc(Number(request.url?.slice(1)))));
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`), limits: { ...defaultLimits(), responseBodyBytes: 1000 } });
  expect(textOf(await send(call, `http://127.0.0.1:${server.port}/1000`))).toHaveLength(1000);
  expect((await failure(send(call, `http://127.0.0.1:${server.port}/1001`))).code).toBe("RESPONSE_TOO_LARGE");
});

test("a request's time counts to the end of the body, and the socket is closed when it is over", async () => {
  const dripping = await serveRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
    const timer = setInterval(() => socket.write("x"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  const silent = await serveRaw(() => undefined);
  for (const server of [dripping, silent]) {
    const startedAt = performance.now();
    const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`) });
    expect(await failure(send(call, `http://127.0.0.1:${server.port}/`, { timeoutMs: 200 }))).toMatchObject({
      code: "NETWORK_ERROR",
      data: { reason: "TIMEOUT" },
    });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await server.closed;
  }
  const rest = await serveRaw(() => undefined);
  const ending = callEgress({ policy: trusting(`127.0.0.1:${rest.port}`), remainingMs: () => 200 });
  expect((await failure(send(ending, `http://127.0.0.1:${rest.port}/`, { timeoutMs: 60_000 }))).data).toMatchObject({ reason: "TIMEOUT" });
});

test("the end of the call breaks off requests under way and those that wait, and closes the socket", async () => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const silent = await serveRaw(() => resolve());
  const call = callEgress({ policy: trusting(`127.0.0.1:${silent.port}`), limits: { ...defaultLimits(), requestsAtOnce: 1 } });
  const ending = new AbortController();
  const requests = [1, 2].map(() => failure(send(call, `http://127.0.0.1:${silent.port}/`, {}, ending.signal)));
  await arrived;
  ending.abort();
  expect((await Promise.all(requests)).map((error) => error.code)).toEqual(["CANCELLED", "CANCELLED"]);
  await silent.closed;
});

test("headers of an answer over 32 KiB are refused", async () => {
  const raw = await serveRaw((socket) => socket.write(`HTTP/1.1 200 OK\r\n${"x-long: ".concat("a".repeat(1000), "\r\n").repeat(40)}\r\n`));
  const error = await failure(send(callEgress({ policy: trusting(`127.0.0.1:${raw.port}`) }), `http://127.0.0.1:${raw.port}/`));
  expect(error).toMatchObject({ code: "NETWORK_ERROR", data: { reason: "UND_ERR_HEADERS_OVERFLOW" } });
});

test("headers of an answer are counted: a thousand pass, thousands of tiny ones do not, however few bytes they are", async () => {
  const answering = (count: number, line: string) =>
    serveRaw((socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n${line.repeat(count)}\r\nok`));
  const outcome = async (count: number, line: string): Promise<unknown> => {
    const { port } = await answering(count, line);
    const sent = send(callEgress({ policy: trusting(`127.0.0.1:${port}`) }), `http://127.0.0.1:${port}/`);
    return sent.then(textOf, (error: unknown) => (error instanceof ToolError ? error.data.reason : error));
  };
  expect(await outcome(999, "a:\r\n")).toBe("ok");
  expect(await outcome(1_000, "a:\r\n")).toBe("TOO_MANY_HEADERS");
  expect(await outcome(1_000, "set-cookie:\r\n")).toBe("TOO_MANY_HEADERS");
  // The bytes alone, of which the parser counts names and values, would let them all in.
  expect(await outcome(30_000, "a:\r\n")).toBe("TOO_MANY_HEADERS");
  expect(await outcome(100_000, "a:\r\n")).toBe("UND_ERR_HEADERS_OVERFLOW");
});

test("trailers and interim answers of a server are dropped, so that nothing in them has to be searched", async () => {
  const value = "canary-0123456789";
  const server = await serve((_request, response) => {
    response.writeEarlyHints({ link: `<${value}>; rel=preload` });
    response.writeHead(200, { trailer: "X-Trailer" });
    response.write("body");
    response.addTrailers({ "X-Trailer": value });
    response.end();
  });
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`), toolHeaders: secretHeader("X-Api-Key", value) });
  const response = await send(call, `http://127.0.0.1:${server.port}/`);
  expect(textOf(response)).toBe("body");
  expect(Object.keys(response.headers)).not.toContain("x-trailer");
  expect(JSON.stringify(response)).not.toContain(value);
  // A client that looks does get it.
  const { trailers } = await request(`http://127.0.0.1:${server.port}/`).then(async (answer) => {
    await answer.body.dump();
    return answer;
  });
  expect(trailers).toEqual({ "x-trailer": value });
  const endless = await serveRaw((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${`x: ${"y".repeat(1_000)}\r\n`.repeat(100)}\r\n`),
  );
  const policy = trusting(`127.0.0.1:${endless.port}`);
  const error = await failure(send(callEgress({ policy }), `http://127.0.0.1:${endless.port}/`));
  expect(error).toMatchObject({ code: "NETWORK_ERROR", data: { reason: "UND_ERR_HEADERS_OVERFLOW" } });
});

test("answers that are no HTTP, are cut short, or nobody gives, say so", async () => {
  const raw = await serveRaw((socket) => socket.end("hello\r\n\r\n"));
  const cut = await serveRaw((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"));
  const reason = async (port: number): Promise<unknown> =>
    (await failure(send(callEgress({ policy: trusting(`127.0.0.1:${port}`) }), `http://127.0.0.1:${port}/`))).data.reason;
  expect(await reason(raw.port)).toBe("BAD_HTTP");
  expect(await reason(cut.port)).toBe("UND_ERR_SOCKET");
  expect(await reason(1)).toBe("ECONNREFUSED");
});

test("the 51st request of a call is refused, and six go at once while the others wait in order", async () => {
  const order: string[] = [];
  let atOnce = 0;
  let most = 0;
  const server = await serve((request, response) => {
    order.push(request.url ?? "");
    atOnce += 1;
    most = Math.max(most, atOnce);
    setImmediate(() => {
      atOnce -= 1;
      response.end();
    });
  });
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`) });
  const requests = Array.from({ length: 51 }, (_, index) =>
    send(call, `http://127.0.0.1:${server.port}/${index}`).then(
      () => "ok",
      (error: unknown) => error,
    ),
  );
  const outcomes = await Promise.all(requests);
  expect(outcomes.slice(0, 50).every((outcome) => outcome === "ok")).toBe(true);
  expect(outcomes[50]).toMatchObject({ code: "TOO_MANY_REQUESTS" });
  expect(most).toBeLessThanOrEqual(6);
  expect(new Set(order).size).toBe(50);
  expect(call.figures()).toMatchObject({ requests: 50, lastHost: `127.0.0.1:${server.port}` });
});

test("an answer reaches the script whole: status, repeated headers, cookies, text or bytes", async () => {
  const server = await serve((request, response) => {
    response.writeHead(
      404,
      "Nicht da",
      [
        ["X-Two", "a"],
        ["X-Two", "b"],
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
      ].flat(),
    );
    response.end(request.url === "/bytes" ? Buffer.from([0xff, 0xfe, 0]) : "\ufeffgrüße");
  });
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`) });
  expect(await send(call, `http://127.0.0.1:${server.port}/x?y=1#z`)).toMatchObject({
    status: 404,
    statusText: "Nicht da",
    headers: { "x-two": "a, b" },
    setCookie: ["a=1", "b=2"],
    body: { kind: "text", text: "grüße" },
    url: `http://127.0.0.1:${server.port}/x?y=1`,
    redirected: false,
  });
  expect((await send(call, `http://127.0.0.1:${server.port}/bytes`)).body).toEqual({ kind: "bytes", base64: "//4A" });
});

test("a request body over its limit is refused before anything is sent", async () => {
  const server = await serve((_request, response) => response.end());
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`) });
  const body = (length: number) => ({ method: "POST", body: { kind: "bytes", base64: Buffer.alloc(length).toString("base64") } }) as const;
  expect((await failure(send(call, `http://127.0.0.1:${server.port}/`, body(MIB + 1)))).code).toBe("INVALID_REQUEST");
  expect(server.hits).toEqual([]);
  expect((await send(call, `http://127.0.0.1:${server.port}/`, body(MIB))).status).toBe(200);
});

test("TLS: a certificate for another name or of an unknown signer is refused, and the name in it is that of the URL", async () => {
  const identity = selfSigned("localhost");
  const names: unknown[] = [];
  const noteName = (name: string, done: (error: Error | null) => void): void => {
    names.push(name);
    done(null);
  };
  const server = createTlsServer({ ...identity, SNICallback: noteName }, (_request, response) => response.end("hello"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const policy = trusting(`localhost:${port}`, `a.localhost:${port}`, `127.0.0.1:${port}`);
  const knowing = { dial: createDial({ ca: identity.cert }) };
  expect(textOf(await send(callEgress({ policy }, knowing), `https://LOCALHOST.:${port}/`))).toBe("hello");
  expect((await failure(send(callEgress({ policy }), `https://localhost:${port}/`))).data.reason).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  expect((await failure(send(callEgress({ policy }, knowing), `https://a.localhost:${port}/`))).data.reason).toBe(
    "ERR_TLS_CERT_ALTNAME_INVALID",
  );
  expect((await failure(send(callEgress({ policy }, knowing), `https://127.0.0.1:${port}/`))).data.reason).toBe(
    "ERR_TLS_CERT_ALTNAME_INVALID",
  );
  expect(names).toEqual(["localhost", "localhost", "a.localhost"]);
});

test("a connection opened by a trusted tool is not used for a tool without that trust", async () => {
  const server = await serve((_request, response) => response.end("inside"));
  const egress = createEgress({ log: silentLog, lookup: () => Promise.resolve(["127.0.0.1"]) });
  onTestFinished(() => egress[Symbol.asyncDispose]());
  const callOf = (isTrusted: boolean) =>
    egress.forCall({
      callId: "x",
      policy: { ...trusting(`nas.example.com:${server.port}`), trusted: () => isTrusted },
      toolHeaders: noHeaders,
      limits: defaultLimits(),
      remainingMs: () => 5_000,
    });
  expect(textOf(await send(callOf(true), `http://nas.example.com:${server.port}/`))).toBe("inside");
  expect((await failure(send(callOf(false), `http://nas.example.com:${server.port}/`))).code).toBe("NOT_TRUSTED");
  expect(server.hits).toHaveLength(1);
});
