import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { parseHostPattern } from "../../src/core/host-pattern.ts";
import { Secret } from "../../src/core/secret.ts";
import type { ToolAdditions } from "../../src/egress/call-egress.ts";
import { parseBinding } from "../../src/secrets/binding.ts";
import { resolveCallSecrets } from "../../src/secrets/call-secrets.ts";
import { parseHeaderTemplate } from "../../src/secrets/header-template.ts";
import type { FoundSecret } from "../../src/secrets/vault.ts";
import { callEgress, failure, recorder, secretHeader, send, serve, textOf, trusting } from "./egress-support.ts";

const VALUE = "sk-live-0123456789abcdef";

test("a header of the tool replaces the script's of the same name in any case, or is refused where it must be alone", async () => {
  const server = await recorder(() => ({ status: 200 }));
  const options = { policy: trusting(`127.0.0.1:${server.port}`), toolHeaders: secretHeader("Authorization", VALUE) };
  await send(callEgress(options), `http://127.0.0.1:${server.port}/`, { headers: { aUTHORIZATION: "mine" } });
  expect(server.seen[0]?.headers.authorization).toBe(VALUE);
  const alone = callEgress({ ...options, exclusiveHeaders: new Set(["authorization"]) });
  expect((await failure(send(alone, `http://127.0.0.1:${server.port}/`, { headers: { AUTHORIZATION: "mine" } }))).code).toBe(
    "INVALID_REQUEST",
  );
  expect(server.hits).toHaveLength(1);
});

test("Basic credentials that the server takes apart come back masked, in every form", async () => {
  const [user, password] = ["user-4711-name", "pass/4711+word="];
  const server = await serve((request, response) => {
    const pair = Buffer.from(String(request.headers.authorization).slice("Basic ".length), "base64").toString();
    const forms = [pair, Buffer.from(pair).toString("base64"), pair.split(":")[1], encodeURIComponent(pair), JSON.stringify({ pair })];
    response.writeHead(200, { "x-user": pair.split(":")[0] }).end(forms.join(" | "));
  });
  const base = `http://127.0.0.1:${server.port}`;
  const bound = (value: string): FoundSecret => {
    const binding = parseBinding({ hosts: [base], header: "Authorization", format: "Basic %s" });
    const hosts = binding.hosts.map((host) => parseHostPattern(host, { kind: "binding" }));
    return { kind: "found", scope: { kind: "global" }, secret: new Secret(value), binding, hosts };
  };
  const found = new Map([["USER", bound(user)] as const, ["PASS", bound(password)] as const]);
  const headers = [parseHeaderTemplate({ name: "Authorization", value: "<<basic USER PASS>>" })];
  const services = { vault: { resolve: async () => found }, workspace: { kind: "new" } as const, trustedGlobal: () => undefined };
  const toolHeaders = await resolveCallSecrets({ tool: "probe", headers }, services);
  const policy = trusting(`127.0.0.1:${server.port}`);
  const answer = await send(callEgress({ policy, toolHeaders }), `${base}/`);
  // Without the values of the call the answer would show them.
  const open = await send(callEgress({ policy, toolHeaders: { prepare: toolHeaders.prepare, sent: () => [] } }), `${base}/`);
  expect([textOf(open).includes(`${user}:${password}`), open.headers["x-user"]]).toEqual([true, user]);
  expect(answer.headers["x-user"]).toBe("[redacted]");
  const pair = Buffer.from(`${user}:${password}`).toString("base64").slice(0, -2);
  for (const form of [user, password, pair, encodeURIComponent(password)]) expect(textOf(answer), form).not.toContain(form);
});

test("templates in what a script gives arrive as they stand", async () => {
  const server = await recorder(() => ({ status: 200 }));
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`), toolHeaders: secretHeader("X-Api-Key", VALUE) });
  await send(call, `http://127.0.0.1:${server.port}/<<NAME>>?q={{NAME}}`, {
    method: "POST",
    headers: { "X-Own": "<<NAME>>" },
    body: { kind: "text", text: "{{NAME}}" },
  });
  expect(server.seen[0]).toMatchObject({ path: "/%3C%3CNAME%3E%3E?q={{NAME}}", body: "{{NAME}}", headers: { "x-own": "<<NAME>>" } });
});

const badHeaders: readonly Readonly<Record<string, string>>[] = [
  ...[
    "Host",
    "host",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Proxy-Authorization",
    "proxy-connection",
    "TE",
    "Upgrade",
    "Trailer",
    "Keep-Alive",
    "Expect",
  ].map((name) => ({ [name]: "x" })),
  { "X-A": "a\r\nHost: evil" },
  { "X-A": "a\nb" },
  { "X-A": "a\0b" },
  { "X-A": "\u560a" },
  { "X-A\r\nHost": "evil" },
  { "X A": "a" },
  { "": "a" },
  { "X-A": "1", "x-a": "2" },
  { ":path": "/x" },
  { "X-Ä": "a" },
  Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x-${index}`, "a"])),
  { "X-Long": "a".repeat(40_000) },
];

test.each(badHeaders.map((headers) => ({ headers, shown: JSON.stringify(headers).slice(0, 60) })))(
  "headers $shown are refused, without their values in the message",
  async ({ headers }) => {
    const server = await recorder(() => ({ status: 200 }));
    const error = await failure(
      send(callEgress({ policy: trusting(`127.0.0.1:${server.port}`) }), `http://127.0.0.1:${server.port}/`, { headers }),
    );
    expect(error.code).toBe("INVALID_REQUEST");
    expect(error.message).not.toMatch(/evil|aaaaa/u);
    expect(server.hits).toEqual([]);
  },
);

test("the methods of the fetch standard are sent in capitals, every other one as it is written, which is what a binding is held against", async () => {
  const lines: string[] = [];
  const server = createServer((socket) => {
    socket.on("data", (bytes) => {
      lines.push(bytes.toString("latin1").split("\r\n")[0] ?? "");
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const judged: string[] = [];
  const toolHeaders: ToolAdditions = {
    prepare: (_url, { method }) => {
      judged.push(String(method));
      return { headers: new Map() };
    },
    sent: () => [],
  };
  const call = callEgress({ policy: trusting(`127.0.0.1:${port}`), toolHeaders });
  for (const method of ["patch", "PATCH", "post", "Put", "delete", "get"]) await send(call, `http://127.0.0.1:${port}/`, { method });
  const sent = ["patch", "PATCH", "POST", "PUT", "DELETE", "GET"];
  expect(lines).toEqual(sent.map((method) => `${method} / HTTP/1.1`));
  expect(judged).toEqual(sent);
});

test.each(["TRACE", "trace", "CONNECT", "TRACK", "GET /x", "", "po\u017ft", "G\r\nT"])("the method %j is refused", async (method) => {
  const error = await failure(send(callEgress({ policy: trusting("127.0.0.1:9") }), "http://127.0.0.1:9/", { method }));
  expect(error.code).toBe("INVALID_REQUEST");
});
