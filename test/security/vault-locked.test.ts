/** A server started as a client with a window does it: without the variables of anybody's shell. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import { openTrust } from "../../src/policy/trust-store.ts";
import type { KeyConfig } from "../../src/secrets/key-source.ts";
import { openVault } from "../../src/secrets/vault.ts";
import { workspaceIdentity } from "../../src/workspace/workspace-identity.ts";
import { INITIALIZE, legacyMessage, notification } from "../support/mcp-http.ts";
import { makeHome } from "../support/runtime.ts";
import { entry, makeWorkspaceFolder } from "../support/workspace-folder.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** A workspace with a tool that needs a secret and one that needs none, and a home whose vault is made with that key. */
async function prepared(config: KeyConfig): Promise<{ readonly root: string; readonly home: string }> {
  const home = makeHome();
  const root = makeWorkspaceFolder([
    entry("plain"),
    entry("keyed", { allowedHosts: ["api.example.com"], headers: { Authorization: "Bearer {{TOKEN}}" } }),
  ]);
  const identity = workspaceIdentity(root);
  await openTrust(home, identity).add([]);
  using vault = openVault({ home, config });
  await vault.set({ kind: "workspace", id: identity.id }, "TOKEN", new Secret("value-of-token-1"), {
    binding: { hosts: ["api.example.com"] },
  });
  return { root, home };
}

interface ToolAnswer {
  readonly isError?: boolean;
  readonly structuredContent?: { readonly error?: { readonly code: string; readonly message: string } };
}

/** The answers of both tools of a server with that environment, and what it wrote to stderr. */
async function calls(
  root: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly keyed: ToolAnswer; readonly plain: ToolAnswer; readonly log: string }> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, "serve", "-w", root], {
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const log = text(child.stderr);
  const call = (name: string, id: number): object => legacyMessage("tools/call", { name, arguments: {} }, id);
  const messages = [
    legacyMessage("initialize", INITIALIZE, 0),
    notification("notifications/initialized"),
    call("keyed", 1),
    call("plain", 2),
  ];
  child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const answers = new Map<unknown, ToolAnswer>();
  let said = "";
  for await (const chunk of child.stdout) {
    said += String(chunk);
    const lines = said.split("\n");
    said = lines.pop() ?? "";
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      answers.set(id, result);
    }
    if (answers.has(1) && answers.has(2)) child.stdin.end();
  }
  if (child.exitCode === null) await once(child, "exit");
  return { keyed: answers.get(1) ?? {}, plain: answers.get(2) ?? {}, log: await log };
}

test("with a passphrase in nobody's environment tools without secrets work, the others say VAULT_LOCKED and what to set", async () => {
  const passphrase = new Secret("correct horse battery");
  const { root, home } = await prepared({ passphrase, keychain: false });
  const { keyed, plain, log } = await calls(root, { TOOLYARD_HOME: home });
  expect(plain.isError ?? false).toBe(false);
  expect(keyed.isError).toBe(true);
  expect(keyed.structuredContent?.error).toMatchObject({
    code: "VAULT_LOCKED",
    message: expect.stringContaining("TOOLYARD_PASSPHRASE_FILE"),
  });
  expect(log).not.toContain("correct horse");
});

test("with a key file of the person's own that is not named, VAULT_LOCKED names the variable, and nothing is made in its place", async () => {
  const folder = makeHome();
  const keyFile = join(folder, "my.key");
  writeFileSync(keyFile, `${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
  const { home } = await prepared({ keyFile, keychain: false });
  using vault = openVault({ home, config: { keychain: false } });
  const error = await vault.resolve("workspace-1", ["TOKEN"], () => undefined).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "VAULT_LOCKED", message: expect.stringContaining("TOOLYARD_MASTER_KEY_FILE") });
  expect(error).not.toMatchObject({ message: expect.stringContaining(folder) });
  expect(existsSync(join(home, "master.key"))).toBe(false);
});
