// Secrets of agents: behind one name in tools.json stands another stored secret for each of them.
import { expect, test } from "vitest";
import { recorder } from "../../test/security/egress-support.ts";
import { makeHome, openTestRuntime, storeSecret, type TestRuntime } from "../../test/support/runtime.ts";
import { entry, makeFolder } from "../../test/support/workspace-folder.ts";
import type { CallResult } from "../core/tool.ts";
import { openTrust } from "../policy/trust-store.ts";
import { workspaceIdentity } from "../workspace/workspace-identity.ts";

const SCRIPT = `async function main() {
  globalThis.calls = (globalThis.calls ?? 0) + 1;
  const response = await g.http.makeHttpRequest(g.tool.args.url);
  return response.status;
}
`;

async function bench(more: Readonly<Record<string, unknown>> = {}) {
  const api = await recorder(() => ({ status: 200 }));
  const base = `http://127.0.0.1:${api.port}`;
  const root = makeFolder({
    "tools.json": { tools: [entry("call", { headers: { "X-Key": "{{API_KEY}}" }, query: { key: "<<API_KEY>>" } })] },
    "toolyard.json": { agents: [{ agentId: "dev" }, { agentId: "ops", secrets: { API_KEY: "TEAM_KEY" } }], ...more },
    "scripts/a.js": SCRIPT,
  });
  const home = makeHome();
  const bound = { hosts: [base] };
  return { api, base, root, home, bound };
}

function callAs(runtime: TestRuntime, agent: string, url: string): Promise<CallResult> {
  return runtime.engine.call({ agent, origin: "mcp" }, { name: "call", args: { url }, signal: new AbortController().signal });
}

test("each agent sends its own secret, also when one isolate serves both and calls run at once", async () => {
  const { api, base, root, home, bound } = await bench();
  await storeSecret({ root, home }, "API_KEY", "key-of-dev-0123456789", bound);
  await storeSecret({ root, home }, "TEAM_KEY", "key-of-ops-0123456789", bound);
  const runtime = await openTestRuntime(root, home);
  const agents = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? "dev" : "ops"));
  await callAs(runtime, "dev", `${base}/dev`);
  expect(await Promise.all(agents.map((agent) => callAs(runtime, agent, `${base}/${agent}`)))).toEqual(
    agents.map(() => expect.objectContaining({ kind: "ok", value: 200 })),
  );
  const sent = new Set(api.seen.map(({ path, headers }) => `${path} ${String(headers["x-key"])}`));
  expect(sent).toEqual(new Set(["dev", "ops"].map((agent) => `/${agent}?key=key-of-${agent}-0123456789 key-of-${agent}-0123456789`)));
});

test("what an agent lacks is told to it alone, by both names; an agent that is not defined gets nothing", async () => {
  const { api, base, root, home, bound } = await bench();
  await storeSecret({ root, home }, "API_KEY", "key-of-dev-0123456789", bound);
  const runtime = await openTestRuntime(root, home);
  const statusFor = (agent: string): unknown => runtime.engine.look({ agent, origin: "mcp" }).find(({ name }) => name === "call")?.status;
  expect([statusFor("dev"), statusFor("ops"), statusFor("stranger")]).toEqual([
    { kind: "ready" },
    { kind: "needs-secret", missing: ["TEAM_KEY"] },
    undefined,
  ]);
  const refused = await callAs(runtime, "ops", base);
  expect(refused).toMatchObject({ kind: "error", code: "SECRET_MISSING", data: { missing: ["TEAM_KEY"] } });
  expect(refused.kind === "error" ? refused.message : "").toContain(
    "call needs API_KEY, which is TEAM_KEY for agent ops, which is not stored.",
  );
  expect(await callAs(runtime, "stranger", base)).toMatchObject({ kind: "error", code: "DENIED" });
  expect(api.hits).toEqual([]);
});

test("a global secret by another name is asked for anew, and told by both names", async () => {
  const { base, root, home, bound } = await bench();
  await storeSecret({ root, home }, "API_KEY", "key-of-dev-0123456789", { ...bound, global: true });
  await storeSecret({ root, home }, "TEAM_KEY", "key-of-ops-0123456789", { ...bound, global: true });
  const runtime = await openTestRuntime(root, home);
  const asks = runtime.asks();
  expect(asks.map(({ about, isTrusted }) => [about, isTrusted])).toEqual([
    [`send API_KEY, stored for all workspaces, to ${base}`, false],
    [`send TEAM_KEY (API_KEY for agent ops), stored for all workspaces, to ${base}`, false],
  ]);
  const own = asks.filter(({ about }) => about.startsWith("send API_KEY")).map(({ entry }) => entry);
  await openTrust(home, workspaceIdentity(root)).add(own);
  expect(await callAs(runtime, "ops", base)).toMatchObject({ kind: "error", code: "NOT_TRUSTED", data: { untrusted: ["TEAM_KEY"] } });
});

test("where a list of hosts is demanded, a tool without one sends nothing, whatever its secrets are bound to", async () => {
  for (const [settings, options] of [
    [{ network: { requireAllowedHosts: true } }, {}],
    // The workspace cannot take back what the server demands.
    [{ network: { requireAllowedHosts: false } }, { requireAllowedHosts: true }],
  ] as const) {
    const { api, base, root, home, bound } = await bench(settings);
    await storeSecret({ root, home }, "API_KEY", "key-of-dev-0123456789", bound);
    const runtime = await openTestRuntime(root, home, options);
    const refused = await callAs(runtime, "dev", base);
    expect(refused).toMatchObject({ kind: "error", code: "HOST_NOT_ALLOWED" });
    expect(refused.kind === "error" ? refused.message : "").toContain('it has no "allowedHosts"');
    expect(api.hits).toEqual([]);
  }
});
