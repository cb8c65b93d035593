import { expect, test } from "vitest";
import { callModern, legacyMessage, messagesOf, openSession, post, startTestHttp } from "../../test/support/mcp-http.ts";
import { makeHome, openTestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder } from "../../test/support/workspace-folder.ts";

/** Keys that readers of JSON treat in ways of their own, and an undefined property. */
const SCRIPT = `function main() {
  return { a: 1, ...JSON.parse('{"in":{"__proto__":{"x":1},"constructor":2},"list":[{"__proto__":1}]}'), u: undefined, ["__proto__"]: { y: 1 } };
}`;

test("text and structured content of a result are the same in both generations, whatever its keys are named", async () => {
  const root = makeWorkspaceFolder([entry("keys")], { "scripts/a.js": SCRIPT });
  const runtime = await openTestRuntime(root, makeHome());
  const value = { a: 1, in: { constructor: 2 }, list: [{}] };
  expect(await runtime.run("keys")).toMatchObject({ kind: "ok", text: JSON.stringify(value), structured: value });
  await using server = await startTestHttp(runtime.engine);
  const session = await openSession(server.url);
  const calls = [
    await callModern(server.url, "keys", {}),
    await post(server.url, legacyMessage("tools/call", { name: "keys", arguments: {} }), { "mcp-session-id": session }),
  ];
  for (const response of calls) {
    const [message] = await messagesOf(response);
    expect(message).toMatchObject({ result: { content: [{ type: "text", text: JSON.stringify(value) }] } });
    // As text, since a comparison of objects does not see a key named __proto__.
    expect(JSON.stringify(message)).toContain(`"structuredContent":${JSON.stringify(value)}`);
  }
});
