import { cpSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeHome, openTestRuntime, storeSecret } from "../../test/support/runtime.ts";
import { entry, makeFolder, makeWorkspaceFolder, openWorkspace, PLAIN_SCRIPT, putFiles } from "../../test/support/workspace-folder.ts";
import { openTrust } from "../policy/trust-store.ts";
import { openVault } from "../secrets/vault.ts";
import { workspaceIdentity } from "../workspace/workspace-identity.ts";
import { parseScriptTool } from "./script-tool.ts";
import { createWorkspaceGuard } from "./workspace-guard.ts";

const CALLER = { agent: "default", origin: "mcp" } as const;

test("a listing of fifty tools with secrets reads vault and identity once, and the next one reads again", async () => {
  const tools = Array.from({ length: 50 }, (_, index) => entry(`t${index}`, { headers: { "X-Key": "{{API_KEY}}" } }));
  const root = makeWorkspaceFolder(tools);
  const home = makeHome();
  const workspace = await openWorkspace(root, { watch: false });
  const vault = openVault({ home, config: { keychain: false }, workspaceRoot: root });
  onTestFinished(() => vault[Symbol.dispose]());
  const read = { lists: 0, identities: 0 };
  const guard = createWorkspaceGuard({
    vault: {
      list: (scope) => {
        read.lists += 1;
        return vault.list(scope);
      },
      resolve: (...query) => vault.resolve(...query),
    },
    trust: () => {
      read.identities += 1;
      const identity = workspaceIdentity(root);
      return { trust: openTrust(home, identity), workspaceId: identity.id };
    },
  });
  const scriptTools = workspace.current().tools.map(parseScriptTool);
  const kinds = (): ReadonlySet<string> => {
    const listing = { startedAtMs: Date.now() };
    return new Set(scriptTools.map((tool) => guard.status(tool, listing).kind));
  };
  expect([kinds(), read]).toEqual([new Set(["needs-secret"]), { lists: 1, identities: 1 }]);
  await storeSecret({ root, home }, "API_KEY", "sk-live-0123456789", { hosts: ["api.example.com"] });
  expect([kinds(), read]).toEqual([new Set(["ready"]), { lists: 3, identities: 2 }]);
});

test("in a copy of the folder tools with secrets are off and their calls refused, though the copy brought the folder's id", async () => {
  const root = makeWorkspaceFolder([entry("plain"), entry("secret", { headers: { "X-Key": "{{API_KEY}}" } })]);
  const home = makeHome();
  await storeSecret({ root, home }, "API_KEY", "sk-live-0123456789", { hosts: ["api.example.com"] });
  const copy = join(makeFolder(), "copy");
  cpSync(root, copy, { recursive: true });
  expect(workspaceIdentity(copy).id).toBe(workspaceIdentity(root).id);
  const answers = [];
  for (const folder of [root, copy]) {
    const runtime = await openTestRuntime(folder, home);
    const listed = runtime.engine.list(CALLER).find(({ name }) => name === "secret");
    answers.push([await runtime.run("plain"), await runtime.run("secret"), listed?.status.kind]);
  }
  expect(answers).toMatchObject([
    [{ kind: "ok" }, { kind: "ok" }, "ready"],
    [{ kind: "ok" }, { kind: "error", code: "NOT_TRUSTED" }, "limited"],
  ]);
});

test("while the folder is gone its tools answer, but those with secrets say that it is gone, and where it was", async () => {
  const root = join(makeFolder(), "workspace");
  putFiles(root, {
    "tools.json": { tools: [entry("plain"), entry("secret", { headers: { "X-Key": "{{API_KEY}}" } })] },
    "scripts/a.js": PLAIN_SCRIPT,
  });
  const home = makeHome();
  await storeSecret({ root, home }, "API_KEY", "sk-live-0123456789", { hosts: ["api.example.com"] });
  const runtime = await openTestRuntime(root, home);
  renameSync(root, `${root}-away`);
  for (const _ of ["first", "again"]) {
    expect(await runtime.run("plain")).toMatchObject({ kind: "ok", value: 1 });
    const message = `The folder of this workspace, ${root}, is gone; until it is back, its secrets and what it is trusted with are off. Put it back and call again; no restart is needed.`;
    expect(await runtime.run("secret")).toMatchObject({ kind: "error", code: "WORKSPACE_BROKEN", message });
    const listed = runtime.engine.list(CALLER).filter(({ role }) => role === "tools");
    expect(listed.map(({ status }) => status)).toEqual([{ kind: "ready" }, { kind: "limited", reason: message }]);
    await runtime.engine.reload(CALLER);
  }
  renameSync(`${root}-away`, root);
  expect(await runtime.run("secret")).toMatchObject({ kind: "ok", value: 1 });
});

test("a private issuer of tokens is asked for like a private host, unless a secret of this workspace is bound to it", async () => {
  const oauth2 = { tokenUrl: "https://10.0.0.7:8443/token", clientId: "me", clientSecret: "{{CLIENT_SECRET}}" };
  const root = makeWorkspaceFolder([entry("call", { auth: { oauth2 }, allowedHosts: ["api.example.com"] })]);
  const home = makeHome();
  const runtime = await openTestRuntime(root, home);
  const asks = (): unknown => runtime.asks().map(({ about, isTrusted }) => [about, isTrusted]);
  expect(asks()).toEqual([["reach 10.0.0.7:8443", false]]);
  await storeSecret({ root, home }, "CLIENT_SECRET", "sk-live-0123456789", { hosts: ["api.example.com", "10.0.0.7:8443"] });
  expect(asks()).toEqual([["reach 10.0.0.7:8443", true]]);
});
