// Frameworks let a header say another method or path than the request's; a secret that is bound to those must not go along.
import { expect, test } from "vitest";
import { makeHome, openTestRuntime, storeSecret } from "../support/runtime.ts";
import { makeFolder } from "../support/workspace-folder.ts";
import { serve } from "./egress-support.ts";

const SCRIPT = `async function main() {
  const { path, headers } = g.tool.args;
  return (await g.http.makeHttpRequest({ url: g.config.base + path, method: "POST", headers })).body;
}
`;

test("a method override and a rewritten path reach what a secret is not bound to; beside such a header it is not sent", async () => {
  // As a framework does it.
  const api = await serve((request, response) => {
    const { "x-http-method-override": method = request.method, "x-original-url": path = request.url } = request.headers;
    response.end(`${method} ${path} with ${request.headers["x-key"]}`);
  });
  const base = `http://127.0.0.1:${api.port}`;
  const tool = {
    name: "call",
    description: "Calls the API",
    script: "scripts/call.js",
    headers: { "X-Key": "{{API_KEY}}" },
    config: { base },
  };
  const outcomes = [];
  for (const binding of [{ hosts: [base] }, { hosts: [base], methods: ["POST"] }, { hosts: [`${base}/v1`] }]) {
    const root = makeFolder({ "tools.json": { tools: [tool] }, "scripts/call.js": SCRIPT });
    const home = makeHome();
    await storeSecret({ root, home }, "API_KEY", "sk-live-0123456789", binding);
    const runtime = await openTestRuntime(root, home);
    for (const headers of [{}, { "X-HTTP-Method-Override": "DELETE" }, { "X-Original-URL": "/admin" }]) {
      const result = await runtime.run("call", { path: "/v1/items", headers });
      outcomes.push(result.kind === "error" ? result.code : result.value);
    }
  }
  const plain = "POST /v1/items with [redacted]";
  const [deleted, moved] = ["DELETE /v1/items with [redacted]", "POST /admin with [redacted]"];
  expect(outcomes).toEqual([plain, deleted, moved, plain, "SECRET_HOST", moved, plain, deleted, "SECRET_HOST"]);
  expect(api.hits).toHaveLength(7);
});
