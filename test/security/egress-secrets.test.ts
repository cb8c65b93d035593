import { request } from "undici";
import { expect, test } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import type { HopAdditions, ToolAdditions } from "../../src/egress/call-egress.ts";
import { callEgress, failure, noHeaders, recorder, secretHeader, send, serve, stubDial, textOf, trusting } from "./egress-support.ts";

const VALUE = "sk-live-0123456789abcdef";

test("a secret header of its own name survives automatic redirects to another origin, which is why redirects are made by hand", async () => {
  const other = await recorder(() => ({ status: 200 }));
  const first = await recorder(() => ({ status: 307, location: `http://localhost:${other.port}/` }));
  await fetch(`http://127.0.0.1:${first.port}/`, { headers: { "x-api-key": VALUE } });
  expect(other.seen[0]?.headers["x-api-key"]).toBe(VALUE);

  const second = await recorder(() => ({ status: 200, body: "there" }));
  const again = await recorder(() => ({ status: 307, location: `http://localhost:${second.port}/` }));
  const policy = trusting(`127.0.0.1:${again.port}`, `localhost:${second.port}`);
  const response = await send(callEgress({ policy, toolHeaders: secretHeader("X-Api-Key", VALUE) }), `http://127.0.0.1:${again.port}/`);
  expect(again.seen[0]?.headers["x-api-key"]).toBe(VALUE);
  expect(second.seen[0]?.headers["x-api-key"]).toBeUndefined();
  expect([response.status, response.redirected, textOf(response)]).toEqual([200, true, "there"]);
});

test("after another origin the secret is not sent again, also not back at the first; the script's own credentials are dropped too", async () => {
  const ports = { first: 0, other: 0 };
  const other = await recorder(() => ({ status: 307, location: `http://127.0.0.1:${ports.first}/back` }));
  const first = await recorder((path) =>
    path === "/start"
      ? { status: 307, location: "/next" }
      : path === "/next"
        ? { status: 307, location: `http://localhost:${ports.other}/` }
        : { status: 200 },
  );
  Object.assign(ports, { first: first.port, other: other.port });
  const policy = trusting(`127.0.0.1:${first.port}`, `localhost:${other.port}`);
  const call = callEgress({ policy, toolHeaders: secretHeader("X-Api-Key", VALUE) });
  await send(call, `http://127.0.0.1:${first.port}/start`, { headers: { Authorization: "Basic own", Cookie: "own=1", "X-Own": "kept" } });
  const sent = [...first.seen, ...other.seen].map(({ path, headers }) => [
    path,
    headers["x-api-key"],
    headers.authorization,
    headers.cookie,
    headers["x-own"],
  ]);
  expect(sent).toEqual([
    ["/start", VALUE, "Basic own", "own=1", "kept"],
    ["/next", VALUE, "Basic own", "own=1", "kept"],
    ["/back", undefined, undefined, undefined, "kept"],
    ["/", undefined, undefined, undefined, "kept"],
  ]);
  expect(call.figures().requests).toBe(4);
});

const SECRET = new Secret(VALUE);
const careless: readonly (readonly [string, HopAdditions])[] = [
  ["header", { headers: new Map([["X-Api-Key", SECRET]]) }],
  ["query parameter", { headers: new Map(), query: new Map([["key", SECRET]]) }],
  ["token", { headers: new Map(), token: { issuer: new URL("http://127.0.0.1/"), get: async () => SECRET, renew: async () => SECRET } }],
];

test.each(careless)("a %s that comes in spite of a forbidden hop ends the request before it is sent", async (_, added) => {
  const other = await recorder(() => ({ status: 200 }));
  const first = await recorder(() => ({ status: 302, location: `http://localhost:${other.port}/` }));
  const policy = trusting(`127.0.0.1:${first.port}`, `localhost:${other.port}`);
  const toolHeaders = { prepare: () => added, sent: () => [SECRET] };
  const error = await failure(send(callEgress({ policy, toolHeaders }), `http://127.0.0.1:${first.port}/`));
  expect(error.code).toBe("SECRET_HOST");
  expect([first.hits.length, other.hits]).toEqual([1, []]);
});

test.each(careless)("a %s goes over plain http to this machine only, and what comes back is masked", async (_, added) => {
  const { dial, dialed } = stubDial();
  const lookup = () => Promise.resolve(["93.184.215.14"]);
  const toolHeaders = { prepare: () => added, sent: () => [SECRET] };
  const open = { toolName: "probe", trusted: () => false };
  const refused = await failure(send(callEgress({ policy: open, toolHeaders }, { dial, lookup }), "http://api.example.com/"));
  expect([refused.code, dialed]).toEqual(["SECRET_HOST", []]);
  const echo = await serve((request, response) => response.end(JSON.stringify([request.url, request.headers])));
  const answer = await send(callEgress({ policy: trusting(`127.0.0.1:${echo.port}`), toolHeaders }), `http://127.0.0.1:${echo.port}/`);
  expect([textOf(answer).includes("[redacted]"), textOf(answer).includes(VALUE)]).toEqual([true, false]);
});

test("a redirect to a host the tool may not reach is refused, and that host is not asked", async () => {
  const other = await recorder(() => ({ status: 200 }));
  const first = await recorder((path) => ({
    status: 302,
    location: path === "/metadata" ? "http://169.254.169.254/latest/" : `http://localhost:${other.port}/`,
  }));
  const call = callEgress({ policy: trusting(`127.0.0.1:${first.port}`) });
  expect((await failure(send(call, `http://127.0.0.1:${first.port}/`))).code).toBe("HOST_NOT_ALLOWED");
  expect((await failure(send(call, `http://127.0.0.1:${first.port}/metadata`))).code).toBe("HOST_NOT_ALLOWED");
  expect(other.hits).toEqual([]);
});

test.each(["file:///etc/passwd", "ftp://localhost/", "http://user:pass@127.0.0.1/", "http://[", "javascript:1", "//"])(
  "a redirect to %s is a network error",
  async (location) => {
    const first = await recorder(() => ({ status: 302, location }));
    const error = await failure(send(callEgress({ policy: trusting(`127.0.0.1:${first.port}`) }), `http://127.0.0.1:${first.port}/`));
    expect(error).toMatchObject({ code: "NETWORK_ERROR", data: { host: `127.0.0.1:${first.port}`, reason: "BAD_REDIRECT" } });
  },
);

test("redirects stop at their limit, and redirect manual and error do not follow", async () => {
  const loop = await recorder(() => ({ status: 302, location: "/again" }));
  const call = callEgress({ policy: trusting(`127.0.0.1:${loop.port}`) });
  const url = `http://127.0.0.1:${loop.port}/`;
  expect((await failure(send(call, url))).data).toMatchObject({ reason: "TOO_MANY_REDIRECTS" });
  expect(loop.hits).toHaveLength(6);
  expect(await send(call, url, { redirect: "manual" })).toMatchObject({ status: 302, redirected: false, headers: { location: "/again" } });
  expect((await failure(send(call, url, { redirect: "error" }))).data).toMatchObject({ reason: "REDIRECT" });
});

const methodCases = [
  [301, "POST", "GET", ""],
  [302, "POST", "GET", ""],
  [302, "PUT", "PUT", "text"],
  [303, "PUT", "GET", ""],
  [303, "HEAD", "HEAD", ""],
  [307, "POST", "POST", "text"],
  [308, "PATCH", "PATCH", "text"],
] as const;

test.each(methodCases)("%s turns %s into %s", async (status, method, expected, body) => {
  const server = await recorder((path) => (path === "/" ? { status, location: "/next" } : { status: 200 }));
  const content = method === "HEAD" ? ({ kind: "none" } as const) : ({ kind: "text", text: "text" } as const);
  await send(callEgress({ policy: trusting(`127.0.0.1:${server.port}`) }), `http://127.0.0.1:${server.port}/`, {
    method,
    body: content,
    headers: { "Content-Type": "text/plain" },
  });
  expect(server.seen[1]).toMatchObject({ method: expected, body });
  expect(server.seen[1]?.headers["content-type"]).toBe(body === "" && method !== "HEAD" ? undefined : "text/plain");
});

test("a Location that holds the secret is not followed to another origin, and is masked where the script sees it", async () => {
  const other = await recorder(() => ({ status: 200 }));
  const encoded = Buffer.from(`x${VALUE}`).toString("base64");
  const paths: Readonly<Record<string, string>> = {
    "/query": `http://localhost:${other.port}/?key=${VALUE}`,
    "/base64": `http://localhost:${other.port}/${encoded}`,
    "/host": `http://${VALUE}.evil.example/`,
    "/upper": `http://${VALUE.toUpperCase()}.evil.example/`,
    "/same": `/end?key=${VALUE}`,
  };
  const first = await recorder((path) =>
    paths[path] === undefined ? { status: 200, body: "end" } : { status: 302, location: paths[path] },
  );
  const policy = trusting(`127.0.0.1:${first.port}`, `localhost:${other.port}`);
  const call = callEgress({ policy, toolHeaders: secretHeader("Authorization", VALUE, "Bearer ") });
  for (const path of ["/query", "/base64", "/host", "/upper"]) {
    const error = await failure(send(call, `http://127.0.0.1:${first.port}${path}`));
    expect([path, error.code]).toEqual([path, "SECRET_HOST"]);
    expect(JSON.stringify([error.message, error.data, error.stack]).toLowerCase()).not.toContain(VALUE);
    const manual = await send(call, `http://127.0.0.1:${first.port}${path}`, { redirect: "manual" });
    expect(manual.headers.location).toContain("[redacted]");
  }
  expect(other.hits).toEqual([]);
  expect((await send(call, `http://127.0.0.1:${first.port}/same`)).url).toBe(`http://127.0.0.1:${first.port}/end?key=[redacted]`);
});

test("a secret goes over plain http to this machine only", async () => {
  const { dial, dialed } = stubDial();
  const lookup = () => Promise.resolve(["93.184.215.14"]);
  const toolHeaders = secretHeader("Authorization", VALUE);
  for (const [host, expected] of [
    ["api.example.com:80", "HOST_NOT_ALLOWED"],
    ["nas.local:80", "HOST_NOT_ALLOWED"],
    ["10.0.0.7:80", "HOST_NOT_ALLOWED"],
  ] as const) {
    expect((await failure(send(callEgress({ policy: trusting(host), toolHeaders }, { dial, lookup }), `http://${host}/`))).code).toBe(
      expected,
    );
  }
  const open = { toolName: "probe", trusted: () => false };
  expect((await failure(send(callEgress({ policy: open, toolHeaders }, { dial, lookup }), "http://api.example.com/"))).code).toBe(
    "SECRET_HOST",
  );
  expect(dialed).toEqual([]);
  expect(
    (await failure(send(callEgress({ policy: open, toolHeaders: noHeaders }, { dial, lookup }), "http://api.example.com/"))).code,
  ).toBe("NETWORK_ERROR");
});

test("no error path gives a header value, and no error has a cause", async () => {
  const canary = "canary-4711-canary";
  const broken = await serve((_incoming, response) => response.socket?.end("HTTP/1.1 canary-4711-canary\r\n\r\n"));
  const closing = await serve((_incoming, response) => response.socket?.destroy());
  const policy = trusting(`127.0.0.1:${broken.port}`, `127.0.0.1:${closing.port}`, "127.0.0.1:1", "localhost:1");
  const aborted = AbortSignal.abort(new Error(canary));
  for (const toolHeaders of [
    secretHeader("Authorization", canary),
    secretHeader("Authorization", `${canary}\r\nx`),
    secretHeader("Authorization", `${canary}Ł`),
  ]) {
    const call = callEgress({ policy, toolHeaders });
    const errors = await Promise.all([
      failure(send(call, `http://127.0.0.1:${broken.port}/?q=${canary}`)),
      failure(send(call, `http://127.0.0.1:${closing.port}/`, { headers: { "X-Own": canary } })),
      failure(send(call, "http://127.0.0.1:1/")),
      failure(send(call, `https://localhost:1/${canary}`)),
      failure(send(call, `http://127.0.0.1:${closing.port}/`, {}, aborted)),
      failure(send(call, `http://user:${canary}@127.0.0.1/`)),
      failure(send(call, `http://127.0.0.1:x${canary}/`)),
    ]);
    for (const error of errors) {
      expect(JSON.stringify([error.message, error.data, error.stack, String(error)])).not.toContain(canary);
      expect(error.cause).toBeUndefined();
    }
  }
});

test("a request through undici without the guard does reach loopback, so the guard is what stops the others", async () => {
  const server = await recorder(() => ({ status: 200 }));
  expect((await request(`http://127.0.0.1:${server.port}/`)).statusCode).toBe(200);
  expect((await failure(send(callEgress(), `http://127.0.0.1:${server.port}/`))).code).toBe("HOST_NOT_ALLOWED");
  expect(server.hits).toHaveLength(1);
});

test("a refusal that makes a secret whole, of a host that the server chose and the port, is masked before the script has it", async () => {
  const value = "canary-0123456789.example:443";
  const server = await recorder(() => ({ status: 302, location: "https://canary-0123456789.example/" }));
  const policy = trusting(`127.0.0.1:${server.port}`);
  const said = async (toolHeaders: ToolAdditions): Promise<string> => {
    const error = await failure(send(callEgress({ policy, toolHeaders }), `http://127.0.0.1:${server.port}/`));
    return JSON.stringify([error.code, error.message, error.data]);
  };
  // Without a secret that was sent the host is told as it is.
  expect(await said(noHeaders)).toContain(value);
  const masked = await said(secretHeader("X-Api-Key", value));
  expect(masked).toContain("[redacted]");
  expect(masked).not.toContain(value);
});
