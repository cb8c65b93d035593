import { chmodSync, mkdtempDisposableSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { globalSecretValue, openPathTrust, openTrust, type TrustEntry } from "./trust-store.ts";

const PRINTER: TrustEntry = { kind: "private-host", tool: "lights", value: "192.168.1.20:8080" };
const HERE = { id: "workspace-1", realPath: "/work/a" };

function temporaryHome(): ReturnType<typeof mkdtempDisposableSync> {
  return mkdtempDisposableSync(join(tmpdir(), "trust-"));
}

test("asking makes no file, and nothing is trusted at first", () => {
  using home = temporaryHome();
  const trust = openTrust(home.path, HERE);
  expect([trust.state(), trust.has(PRINTER), trust.entries(), trust.hadAgents(), trust.confirmedPath()]).toEqual([
    "new",
    false,
    [],
    false,
    undefined,
  ]);
  expect(readdirSync(home.path)).toEqual([]);
});

test("trust is for the exact kind, tool and value", async () => {
  using home = temporaryHome();
  const trust = openTrust(home.path, HERE);
  await trust.add([PRINTER]);
  expect([trust.state(), trust.has(PRINTER), trust.confirmedPath()]).toEqual(["known", true, "/work/a"]);
  for (const other of [
    { ...PRINTER, tool: "Lights" },
    { ...PRINTER, tool: "other" },
    { ...PRINTER, value: "192.168.1.20:8081" },
    { ...PRINTER, value: "192.168.1.2:8080" },
    { ...PRINTER, kind: "limit" } as const,
  ]) {
    expect(trust.has(other), JSON.stringify(other)).toBe(false);
  }
});

test("trusting again renews the time and makes no second entry; taking back removes it", async () => {
  using home = temporaryHome();
  const trust = openTrust(home.path, HERE);
  await trust.add([PRINTER]);
  const first = trust.trustedAtMs(PRINTER) ?? Number.NaN;
  await trust.add([PRINTER]);
  expect(trust.entries()).toEqual([PRINTER]);
  expect(trust.trustedAtMs(PRINTER)).toBeGreaterThanOrEqual(first);
  await trust.remove([PRINTER]);
  expect([trust.entries(), trust.has(PRINTER), trust.state()]).toEqual([[], false, "known"]);
});

test("what another process trusts is in force on the next question", async () => {
  using home = temporaryHome();
  const server = openTrust(home.path, HERE);
  expect(server.has(PRINTER)).toBe(false);
  await openTrust(home.path, HERE).add([PRINTER]);
  expect(server.has(PRINTER)).toBe(true);
  await openTrust(home.path, HERE).remove([PRINTER]);
  expect(server.has(PRINTER)).toBe(false);
});

test("many who add at once all keep their entries", async () => {
  using home = temporaryHome();
  const entries = Array.from({ length: 12 }, (_, index): TrustEntry => ({ ...PRINTER, value: `10.0.0.${index}:80` }));
  await Promise.all(entries.map((entry) => openTrust(home.path, HERE).add([entry])));
  expect(openTrust(home.path, HERE).entries().length).toBe(12);
  expect(readdirSync(join(home.path, "workspaces"))).toEqual(["workspace-1.json"]);
});

test("a moved folder is trusted with nothing until a person adopts it, and then begins anew", async () => {
  using home = temporaryHome();
  await openTrust(home.path, HERE).add([PRINTER]);
  const moved = openTrust(home.path, { id: HERE.id, realPath: "/work/b" });
  expect([moved.state(), moved.has(PRINTER), moved.entries(), moved.confirmedPath()]).toEqual(["moved", false, [], "/work/a"]);
  await expect(moved.add([PRINTER])).rejects.toMatchObject({ code: "NOT_TRUSTED" });
  await moved.adopt();
  expect([moved.state(), moved.has(PRINTER)]).toEqual(["known", false]);
  expect(openTrust(home.path, HERE).state()).toBe("moved");
});

test("adopting a workspace that is known already keeps its entries", async () => {
  using home = temporaryHome();
  const trust = openTrust(home.path, HERE);
  await trust.add([PRINTER]);
  await trust.adopt();
  expect(trust.has(PRINTER)).toBe(true);
});

test("another folder put at a known path is not taken for the one that was there", async () => {
  using home = temporaryHome();
  await openTrust(home.path, HERE).add([PRINTER]);
  const other = openTrust(home.path, { id: "workspace-2", realPath: HERE.realPath });
  expect([other.state(), other.has(PRINTER)]).toEqual(["moved", false]);
  await other.adopt();
  expect([other.state(), other.has(PRINTER)]).toEqual(["known", false]);
});

test("agents once had are remembered by id and by path, and remembering confirms nothing", async () => {
  using home = temporaryHome();
  const trust = openTrust(home.path, HERE);
  await trust.recordAgents();
  expect([trust.hadAgents(), trust.state(), trust.confirmedPath()]).toEqual([true, "new", undefined]);
  const newId = openTrust(home.path, { id: "workspace-2", realPath: HERE.realPath });
  expect([newId.hadAgents(), newId.state()]).toEqual([true, "new"]);
  await newId.add([PRINTER]);
  expect(newId.hadAgents()).toBe(true);
  expect(openTrust(home.path, { id: HERE.id, realPath: "/work/b" }).hadAgents()).toBe(true);
  expect(openTrust(home.path, { id: "workspace-3", realPath: "/work/c" }).hadAgents()).toBe(false);
});

test("the record is for its owner only", async () => {
  using home = temporaryHome();
  await openTrust(home.path, HERE).add([PRINTER]);
  const path = join(home.path, "workspaces", "workspace-1.json");
  expect([statSync(path).mode & 0o777, statSync(join(home.path, "workspaces")).mode & 0o777]).toEqual([0o600, 0o700]);
});

test("a record that cannot be used trusts nothing and says so", async () => {
  using home = temporaryHome();
  const trust = openTrust(home.path, HERE);
  await trust.add([PRINTER]);
  const path = join(home.path, "workspaces", "workspace-1.json");
  const text = readFileSync(path, "utf8");
  const spoiled: readonly (readonly [string, string])[] = [
    ["{", "STORE_ERROR"],
    ["", "STORE_ERROR"],
    [text.replace('"version": 1', '"version": 2'), "FILE_VERSION"],
    [text.replace("private-host", "any-host"), "STORE_ERROR"],
    [text.replace('"workspace-1"', '"workspace-9"'), "STORE_ERROR"],
    [text.replace('"entries"', '"extra": 1, "entries"'), "STORE_ERROR"],
  ];
  for (const [bad, code] of spoiled) {
    writeFileSync(path, bad, { mode: 0o600 });
    expect(() => trust.has(PRINTER), bad.slice(0, 60)).toThrow(expect.objectContaining({ code }));
    await expect(trust.add([PRINTER])).rejects.toMatchObject({ code });
  }
  writeFileSync(path, text);
  chmodSync(path, 0o666);
  expect(() => trust.has(PRINTER)).toThrow(expect.objectContaining({ code: "STORE_ERROR" }));
});

test("an id that is no name of a file is refused", () => {
  using home = temporaryHome();
  for (const id of ["", "../vault", "a/b", "..", "CON", "ABCDEFGHIJ", "short", "x".repeat(129), "workspace 1", "workspace.1"]) {
    expect(() => openTrust(home.path, { id, realPath: "/work/a" }), id).toThrow(expect.objectContaining({ code: "WORKSPACE_BROKEN" }));
  }
});

test("a global secret's value changes with its hosts, not with their order", () => {
  expect(globalSecretValue("TOKEN", ["b.example.com", "a.example.com"])).toBe("TOKEN → a.example.com, b.example.com");
  expect(globalSecretValue("TOKEN", ["a.example.com", "b.example.com", "evil.example"])).not.toBe(
    globalSecretValue("TOKEN", ["b.example.com", "a.example.com"]),
  );
});

test("agents that a person ended are ended for that path alone, and until there are some again", async () => {
  using home = temporaryHome();
  const trust = openTrust(home.path, HERE);
  await trust.recordAgents();
  expect([trust.hadAgents(), trust.haveAgentsEnded()]).toEqual([true, false]);
  await trust.endAgents();
  expect([trust.hadAgents(), trust.haveAgentsEnded()]).toEqual([false, true]);
  expect(openTrust(home.path, { id: HERE.id, realPath: "/work/b" }).hadAgents()).toBe(true);
  expect(openPathTrust(home.path, HERE.realPath).hadAgents()).toBe(false);
  await trust.recordAgents();
  expect([trust.hadAgents(), trust.haveAgentsEnded()]).toEqual([true, false]);
  await trust.endAgents();
  await trust.resumeAgents();
  expect([trust.hadAgents(), trust.haveAgentsEnded()]).toEqual([true, false]);
});

test("an id written back into a folder whose agents were ended under it does not open what another id got since", async () => {
  using home = temporaryHome();
  const first = openTrust(home.path, HERE);
  await first.recordAgents();
  await first.endAgents();
  const second = openTrust(home.path, { id: "workspace-2", realPath: HERE.realPath });
  expect(second.hadAgents()).toBe(false);
  await second.recordAgents();
  expect(openTrust(home.path, HERE).hadAgents()).toBe(true);
});

test("agents of a folder that moved are not ended before a person adopts it", async () => {
  using home = temporaryHome();
  const trust = openTrust(home.path, HERE);
  await trust.add([]);
  await trust.recordAgents();
  const moved = openTrust(home.path, { id: HERE.id, realPath: "/work/b" });
  await expect(moved.endAgents()).rejects.toMatchObject({ code: "NOT_TRUSTED" });
  await moved.adopt();
  await moved.endAgents();
  expect([moved.hadAgents(), trust.hadAgents()]).toEqual([false, true]);
});

test("the path of a folder without an id is known by what is recorded there, and trusted with nothing", async () => {
  using home = temporaryHome();
  expect(openPathTrust(home.path, HERE.realPath).state()).toBe("new");
  await openTrust(home.path, HERE).add([PRINTER]);
  const view = openPathTrust(home.path, HERE.realPath);
  expect([view.state(), view.has(PRINTER), view.trustedAtMs(PRINTER)]).toEqual(["moved", false, undefined]);
  expect(readdirSync(join(home.path, "workspaces"))).toEqual(["workspace-1.json"]);
});
