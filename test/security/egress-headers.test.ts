import { expect, test } from "vitest";
import { callEgress, failure, recorder, secretHeader, send, trusting } from "./egress-support.ts";

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

test.each(["TRACE", "trace", "CONNECT", "TRACK", "GET /x", "", "G\r\nT"])("the method %j is refused", async (method) => {
  const error = await failure(send(callEgress({ policy: trusting("127.0.0.1:9") }), "http://127.0.0.1:9/", { method }));
  expect(error.code).toBe("INVALID_REQUEST");
});
