import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openAgentStore } from "./agent-store.ts";

async function temporaryHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "toolyard-agents-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

test("a token stands for its agent in its workspace and nowhere else", async () => {
  const store = openAgentStore(await temporaryHome());
  const token = await store.addAgent("ci", "workspace-1");
  expect(token).toMatch(/^ty_[A-Za-z0-9_-]{43}$/);
  expect(store.verify(token, "workspace-1")).toMatchObject({ agent: "ci" });
  expect(store.verify(token, "workspace-2")).toBeUndefined();
  expect(store.verify(`${token}x`, "workspace-1")).toBeUndefined();
  expect(store.verify("", "workspace-1")).toBeUndefined();
});

test("the file holds no token, is its owner's alone, and a stored hash is no token", async () => {
  const home = await temporaryHome();
  const store = openAgentStore(home);
  const token = await store.addAgent("ci", "workspace-1");
  const text = await readFile(join(home, "agents.json"), "utf8");
  expect(text).not.toContain(token);
  expect(text).not.toContain(token.slice(3));
  const [entry] = store.list("workspace-1");
  expect(JSON.parse(text)).toEqual({ version: 1, agents: [entry] });
  expect(store.verify(entry?.sha256 ?? "", "workspace-1")).toBeUndefined();
  if (process.platform !== "win32") expect((await stat(join(home, "agents.json"))).mode & 0o777).toBe(0o600);
});

test("what another process adds or removes is in force at the next check", async () => {
  const home = await temporaryHome();
  const server = openAgentStore(home);
  const command = openAgentStore(home);
  expect(server.verify("ty_x", "workspace-1")).toBeUndefined();
  const token = await command.addAgent("ci", "workspace-1");
  expect(server.verify(token, "workspace-1")).toMatchObject({ agent: "ci" });
  expect(await command.removeAgent("ci", "workspace-1")).toBe(1);
  expect(server.verify(token, "workspace-1")).toBeUndefined();
  await rm(join(home, "agents.json"));
  expect(server.list("workspace-1")).toEqual([]);
});

test("what a token stood for says, without the token, when it counts no more", async () => {
  const home = await temporaryHome();
  const server = openAgentStore(home);
  const command = openAgentStore(home);
  const [first, second] = [await command.addAgent("ci", "a"), await command.addAgent("ann", "a")];
  const [ci, ann] = [server.verify(first, "a"), server.verify(second, "a")];
  expect([ci?.isValid(), ann?.isValid()]).toEqual([true, true]);
  await command.removeAgent("ci", "a");
  await command.addAgent("ci", "a");
  expect([ci?.isValid(), ann?.isValid()]).toEqual([false, true]);
  await writeFile(join(home, "agents.json"), "{");
  expect(() => ann?.isValid()).toThrow(expect.objectContaining({ code: "STORE_ERROR" }));
});

test("an agent can have two tokens while one replaces the other; removing takes both, and no other workspace's", async () => {
  const store = openAgentStore(await temporaryHome());
  const tokens = [await store.addAgent("ci", "a"), await store.addAgent("ci", "a"), await store.addAgent("ci", "b")];
  expect(tokens.map((token) => store.verify(token, "a")?.agent)).toEqual(["ci", "ci", undefined]);
  expect(await store.removeAgent("ci", "a")).toBe(2);
  expect(await store.removeAgent("ci", "a")).toBe(0);
  expect(store.verify(tokens[2] ?? "", "b")).toMatchObject({ agent: "ci" });
});

test("agents added at the same time are all kept", async () => {
  const home = await temporaryHome();
  const names = Array.from({ length: 8 }, (_, index) => `agent-${index}`);
  await Promise.all(names.map((name) => openAgentStore(home).addAgent(name, "a")));
  const kept = openAgentStore(home).list("a");
  expect(kept.map((entry) => entry.agent).sort()).toEqual(names);
});

test("a name that could be mistaken for something else is refused", async () => {
  const store = openAgentStore(await temporaryHome());
  for (const name of ["", "a b", "a\n", "ä", "a".repeat(65), "../a"]) {
    await expect(store.addAgent(name, "a")).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  }
});

test("a file that is newer, damaged or open to others lets nobody in, also after it was read before", async () => {
  const home = await temporaryHome();
  const path = join(home, "agents.json");
  const store = openAgentStore(home);
  const token = await store.addAgent("ci", "a");
  expect(store.verify(token, "a")).toMatchObject({ agent: "ci" });
  const right = await readFile(path, "utf8");
  const check = async (text: string, code: string): Promise<void> => {
    await writeFile(path, text);
    for (let round = 0; round < 2; round++)
      expect(() => store.verify(token, "a")).toThrow(expect.objectContaining({ code, audience: "operator" }));
  };
  await check(right.replace('"version": 1', '"version": 2'), "FILE_VERSION");
  await check(right.slice(0, -5), "STORE_ERROR");
  await check(right.replace("sha256", "sha255"), "STORE_ERROR");
  await writeFile(path, right);
  expect(store.verify(token, "a")).toMatchObject({ agent: "ci" });
  if (process.platform === "win32") return;
  await chmod(path, 0o644);
  expect(() => store.verify(token, "a")).toThrow(expect.objectContaining({ code: "STORE_ERROR" }));
});
