import { mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Secret } from "../core/secret.ts";
import { openVault, type Vault } from "./vault.ts";
import type { Scope } from "./vault-file.ts";

const HERE: Scope = { kind: "workspace", id: "workspace-1" };
const GLOBAL: Scope = { kind: "global" };
const FULL = { hosts: ["api.example.com"], header: "authorization", format: "Bearer %s", methods: ["GET"] };

function temporaryHome(): ReturnType<typeof mkdtempDisposableSync> {
  return mkdtempDisposableSync(join(tmpdir(), "vault-"));
}

function open(home: string, now?: () => number): Vault {
  return openVault({ home, config: { keychain: false }, ...(now === undefined ? {} : { now }) });
}

async function value(vault: Vault, name: string, trustedAtMs?: number): Promise<string> {
  const found = (await vault.resolve("workspace-1", [name], () => trustedAtMs)).get(name);
  return found?.kind === "found" ? found.secret.reveal() : String(found?.kind);
}

function files(home: string): string {
  return ["vault.json", "vault.json.bak"].map((name) => readFileSync(join(home, name), "utf8")).join("\n");
}

test("a renamed secret keeps value, binding and age, and its name before is gone", async () => {
  using home = temporaryHome();
  let nowMs = 1_000;
  using vault = open(home.path, () => nowMs);
  await vault.set(HERE, "OLD", new Secret("value-of-old-one"), { binding: FULL });
  nowMs = 2_000;
  expect(await vault.rename(HERE, "OLD", "NEW")).toEqual({ binding: FULL, leavesGlobal: false, hidesGlobal: false });
  using other = open(home.path);
  expect([await value(other, "OLD"), await value(other, "NEW")]).toEqual(["missing", "value-of-old-one"]);
  expect(other.list()).toEqual([{ scope: HERE, name: "NEW", binding: FULL, setAtMs: 1_000 }]);
});

test("a name that is stored, unknown, malformed or the same is no target or source of a renaming, and nothing changes", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  await vault.set(HERE, "A", new Secret("value-of-a-here"), { binding: FULL });
  await vault.set(HERE, "B", new Secret("value-of-b-here"), { binding: FULL });
  const before = files(home.path);
  for (const [from, to, code] of [
    ["A", "B", "INVALID_REQUEST"],
    ["A", "A", "INVALID_REQUEST"],
    ["A", "b", "INVALID_REQUEST"],
    ["A", "__proto__", "INVALID_REQUEST"],
    ["C", "D", "SECRET_MISSING"],
    ["__proto__", "D", "SECRET_MISSING"],
  ] as const) {
    await expect(vault.rename(HERE, from, to), `${from} ${to}`).rejects.toMatchObject({ code });
  }
  await expect(vault.rename(GLOBAL, "A", "D")).rejects.toMatchObject({ code: "SECRET_MISSING" });
  expect(files(home.path)).toBe(before);
});

test("renaming a workspace's own secret never brings back a global one that was trusted before, and says so", async () => {
  using home = temporaryHome();
  let nowMs = 1_000;
  using vault = open(home.path, () => nowMs);
  await vault.set(GLOBAL, "TOKEN", new Secret("global-value-of-it"), { binding: FULL });
  await vault.set(GLOBAL, "OTHER", new Secret("global-other-value"), { binding: FULL });
  await vault.set(HERE, "TOKEN", new Secret("own-value-of-token"), { binding: FULL });
  nowMs = 2_000;
  expect(await vault.rename(HERE, "TOKEN", "OTHER")).toEqual({ binding: FULL, leavesGlobal: true, hidesGlobal: true });
  expect([await value(vault, "TOKEN", 1_500), await value(vault, "OTHER", 1_500)]).toEqual(["untrusted", "own-value-of-token"]);
  expect(await value(vault, "TOKEN", 2_500)).toBe("global-value-of-it");
  // Back again: the mark makes way.
  nowMs = 3_000;
  expect(await vault.rename(HERE, "OTHER", "TOKEN")).toMatchObject({ leavesGlobal: true, hidesGlobal: true });
  expect([await value(vault, "TOKEN"), await value(vault, "OTHER", 2_500)]).toEqual(["own-value-of-token", "untrusted"]);
});

test("more hosts are allowed to who has the value, and to nobody else", async () => {
  using home = temporaryHome();
  using vault = open(home.path, () => 1_000);
  await vault.set(HERE, "TOKEN", new Secret("value-of-token"), { binding: FULL });
  for (const guess of ["value-of-tokem", "value-of-toke", "value-of-token ", "", "x".repeat(70_000), "value\nof"]) {
    const refused = vault.allow(HERE, "TOKEN", new Secret(guess), ["evil.example"]);
    await expect(refused, guess.slice(0, 20)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining("value-of-token") });
  }
  expect(vault.list()[0]?.binding).toEqual(FULL);
  expect(await vault.allow(HERE, "TOKEN", new Secret("value-of-token\n"), ["Uploads.Example.com", "api.example.com"])).toEqual({
    binding: { ...FULL, hosts: ["api.example.com", "uploads.example.com"] },
    changed: ["uploads.example.com"],
  });
  using other = open(home.path);
  expect(other.list()).toEqual([
    { scope: HERE, name: "TOKEN", binding: { ...FULL, hosts: ["api.example.com", "uploads.example.com"] }, setAtMs: 1_000 },
  ]);
  expect(await value(other, "TOKEN")).toBe("value-of-token");
});

test("hosts that are all allowed already change nothing, and bad or too many ones are refused", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  const token = new Secret("value-of-token");
  await vault.set(HERE, "TOKEN", token, { binding: FULL });
  await vault.set(HERE, "OTHER", token, { binding: FULL });
  const before = files(home.path);
  expect(await vault.allow(HERE, "TOKEN", token, ["api.example.com"])).toEqual({ binding: FULL, changed: [] });
  for (const hosts of [[], ["*"], ["*.com"], ["http://evil.example"], Array.from({ length: 64 }, (_, index) => `h${index}.example`)]) {
    await expect(vault.allow(HERE, "TOKEN", token, hosts), hosts[0] ?? "none").rejects.toMatchObject({ code: "INVALID_REQUEST" });
  }
  await expect(vault.allow(GLOBAL, "TOKEN", token, ["b.example"])).rejects.toMatchObject({ code: "SECRET_MISSING" });
  expect(files(home.path)).toBe(before);
});

test("a denied host is gone from the file and from the backup; the last one and an unknown one stay", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  await vault.set(HERE, "TOKEN", new Secret("value-of-token"), {
    binding: { ...FULL, hosts: ["api.example.com", "*.wide.example", "more.example"] },
  });
  expect(await vault.deny(HERE, "TOKEN", ["*.Wide.example", "more.example"])).toEqual({
    binding: FULL,
    changed: ["*.wide.example", "more.example"],
  });
  expect(files(home.path)).not.toContain("wide");
  expect(await value(vault, "TOKEN")).toBe("value-of-token");
  for (const hosts of [["api.example.com"], ["other.example"], ["more.example"], []]) {
    await expect(vault.deny(HERE, "TOKEN", hosts), hosts[0] ?? "none").rejects.toMatchObject({ code: "INVALID_REQUEST" });
  }
  await expect(vault.deny(HERE, "NONE", ["api.example.com"])).rejects.toMatchObject({ code: "SECRET_MISSING" });
  expect(vault.list()[0]?.binding).toEqual(FULL);
});

test("several secrets are stored in one step, or none where one cannot be or a name is there twice", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  const entry = (name: string, text: string, binding = true): object => ({
    name,
    value: new Secret(text),
    ...(binding ? { binding: FULL } : {}),
  });
  const set = (entries: readonly object[]): Promise<readonly unknown[]> =>
    // The objects above have these fields.
    vault.setMany(HERE, entries as Parameters<Vault["setMany"]>[1]);
  const good = [entry("A", "value-of-a-here"), entry("B", "value-of-b-here")];
  for (const bad of [
    [...good, entry("C", "short")],
    [...good, entry("c", "value-of-c-here")],
    [...good, entry("C", "value-of-c-here", false)],
    [...good, entry("A", "value-of-a-twice")],
  ]) {
    await expect(set(bad)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(readdirSync(home.path)).toEqual([]);
  }
  expect(await set([])).toEqual([]);
  expect(await set(good)).toMatchObject([
    { kind: "stored", madeKeyFile: join(home.path, "master.key") },
    { kind: "stored", binding: FULL },
  ]);
  expect(JSON.parse(readFileSync(join(home.path, "vault.json"), "utf8")).gen).toBe(1);
  expect(await set([entry("B", "value-of-b-anew", false), entry("C", "value-of-c-here")])).toMatchObject([
    { kind: "replaced" },
    { kind: "stored" },
  ]);
  expect([await value(vault, "A"), await value(vault, "B"), await value(vault, "C")]).toEqual([
    "value-of-a-here",
    "value-of-b-anew",
    "value-of-c-here",
  ]);
});

test("a weak value is stored only if allowed, and the report says what is lost", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  for (const [text, weakness] of [
    ["1234", "unmasked"],
    ["12345678", "guessable"],
  ] as const) {
    await expect(vault.set(HERE, "PIN", new Secret(text), { binding: FULL })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(await vault.set(HERE, "PIN", new Secret(text), { binding: FULL, allowShort: true })).toMatchObject({ weakness });
  }
  expect(await vault.set(HERE, "PIN", new Secret("k9x2m4q7"), { allowShort: true })).not.toHaveProperty("weakness");
});
