import { request } from "node:http";
import { expect, test } from "vitest";
import { defaultLimits } from "../../src/core/limits.ts";
import { parseBinding } from "../../src/secrets/binding.ts";
import { parseHeaderTemplate } from "../../src/secrets/header-template.ts";
import { createReadingMemory, parseToolsFile } from "../../src/workspace/tools-file.ts";
import { callEgress, failure, recorder, send, trusting } from "./egress-support.ts";

/** Every header by which one request can be read in two ways. */
const NAMES = [
  "Host",
  "Content-Length",
  "Transfer-Encoding",
  "Connection",
  "Keep-Alive",
  "TE",
  "Trailer",
  "Upgrade",
  "Expect",
  "HTTP2-Settings",
  "Proxy-Authorization",
  "proxy-connection",
];

test("a client without our rules sends another Host than it connects to", async () => {
  const server = await recorder(() => ({ status: 200 }));
  const { promise, resolve } = Promise.withResolvers<void>();
  request({ host: "127.0.0.1", port: server.port, headers: { host: "other.example" } }, (answer) =>
    answer.resume().on("end", resolve),
  ).end();
  await promise;
  expect(server.seen[0]?.headers.host).toBe("other.example");
});

test.each(NAMES)("%s cannot be set by a script, by tools.json or by a binding, in any case", async (written) => {
  const server = await recorder(() => ({ status: 200 }));
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`) });
  for (const name of [written, written.toLowerCase(), written.toUpperCase()]) {
    expect((await failure(send(call, `http://127.0.0.1:${server.port}/`, { headers: { [name]: "x" } }))).code).toBe("INVALID_REQUEST");
    const refused = expect.objectContaining({ code: "INVALID_REQUEST" });
    expect(() => parseHeaderTemplate({ name, value: "x" })).toThrow(refused);
    expect(() => parseBinding({ hosts: ["api.example.com"], header: name })).toThrow(refused);
    expect(findingsOf(name)).toEqual([["INVALID_VALUE", `"${name}" belongs to the connection and cannot be set.`]]);
  }
  expect(server.hits).toEqual([]);
});

function findingsOf(header: string): readonly (readonly [string, string])[] {
  const base = defaultLimits();
  const tool = { name: "a", description: "a", script: "a.js", headers: { [header]: "x" } };
  const outcome = parseToolsFile(JSON.stringify({ tools: [tool] }), { base, own: base, memory: createReadingMemory() });
  const problems = outcome.kind === "good" ? outcome.value.entries.flatMap((entry) => entry.problems) : outcome.problems;
  return problems.map(({ code, message }) => [code, message]);
}
