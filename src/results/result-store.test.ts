import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { defaultLimits, type Limits } from "../core/limits.ts";
import { silentLog } from "../core/log.ts";
import { ResultStore } from "./result-store.ts";

interface Bench {
  readonly folder: string;
  readonly clock: { ms: number };
  open(limits?: Partial<Limits>, folders?: readonly string[]): ResultStore;
}

function makeBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), "results-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = { ms: 1_800_000_000_000 };
  return {
    folder,
    clock,
    open: (limits = {}, folders = [join(folder, "results")]) => {
      const store = new ResultStore({
        folders: () => folders,
        limits: () => ({ ...defaultLimits(), ...limits }),
        log: silentLog,
        now: () => clock.ms,
      });
      onTestFinished(() => store[Symbol.dispose]());
      return store;
    },
  };
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

const NOT_FOUND = { code: "RESULT_NOT_FOUND" };

test("what was kept is read back exactly, whole and in parts, also by another store on the same folder", async () => {
  const { open, clock } = makeBench();
  const text = '\ufeff{"a":"😀\\n\n\u2028é"}\n'.repeat(1_000);
  const id = await open().keep("ann", { tool: "probe", mimeType: "application/json", text });
  const later = open();
  const facts = { id, tool: "probe", mimeType: "application/json", characters: text.length, createdAtMs: clock.ms };
  expect(await later.read("ann", id)).toEqual({ ...facts, text, offset: 0 });
  expect(await later.read("ann", id, { offset: 3, limit: 4 })).toEqual({ ...facts, text: text.slice(3, 7), offset: 3, nextOffset: 7 });
  expect(await later.list("ann")).toEqual([facts]);
});

test("another agent, an unknown id and text that is no id get the same answer", async () => {
  const { open } = makeBench();
  const store = open();
  const id = await store.keep("ann", { tool: "probe", mimeType: "text/plain", text: "x" });
  const answers = await Promise.all(
    [
      ["bob", id],
      ["ann", "0".repeat(26)],
      ["ann", "../ann"],
      ["ann", ""],
      ["ann", `${id}.txt`],
      ["ANN", id],
    ].map(([agent = "", wanted = ""]) => store.read(agent, wanted).then(String, (error: unknown) => String(error))),
  );
  expect(new Set(answers).size).toBe(1);
  await expect(store.read("bob", id)).rejects.toMatchObject(NOT_FOUND);
  expect(await store.list("bob")).toEqual([]);
  expect(await store.read("ann", id)).toMatchObject({ text: "x" });
});

test("after its hour a result is gone, at once for readers and at the next sweep from disk", async () => {
  const { open, clock, folder } = makeBench();
  const store = open();
  const id = await store.keep("ann", { tool: "probe", mimeType: "text/plain", text: "x" });
  clock.ms += 3_599_999;
  expect(await store.read("ann", id)).toMatchObject({ text: "x" });
  await store.sweep();
  expect(filesIn(folder)).toHaveLength(1);
  clock.ms += 1;
  await expect(store.read("ann", id)).rejects.toMatchObject(NOT_FOUND);
  expect(await store.list("ann")).toEqual([]);
  await store.sweep();
  expect(filesIn(folder)).toEqual([]);
});

test("the oldest results of an agent make room in number and in size; those of another agent stay", async () => {
  const { open, clock } = makeBench();
  const store = open({ keptResults: 3, keptResultsBytes: 1_000 });
  const other = await store.keep("bob", { tool: "probe", mimeType: "text/plain", text: "theirs" });
  const ids: string[] = [];
  for (const size of [10, 20, 30, 40, 900]) {
    clock.ms += 1;
    ids.push(await store.keep("ann", { tool: "probe", mimeType: "text/plain", text: "x".repeat(size) }));
    if (size === 40) expect((await store.list("ann")).map(({ characters }) => characters)).toEqual([40, 30, 20]);
  }
  expect((await store.list("ann")).map(({ id }) => id)).toEqual([ids[4]]);
  expect(await store.read("bob", other)).toMatchObject({ text: "theirs" });
});

test("what is larger than all that may be kept is refused and pushes nothing out", async () => {
  const { open } = makeBench();
  const store = open({ keptResultsBytes: 1_000 });
  const id = await store.keep("ann", { tool: "probe", mimeType: "text/plain", text: "small" });
  await expect(store.keep("ann", { tool: "probe", mimeType: "text/plain", text: "x".repeat(1_001) })).rejects.toMatchObject({
    code: "QUOTA_EXCEEDED",
  });
  await expect(open({ keptResults: 0 }).keep("ann", { tool: "p", mimeType: "text/plain", text: "x" })).rejects.toMatchObject({
    code: "QUOTA_EXCEEDED",
  });
  expect(await store.read("ann", id)).toMatchObject({ text: "small" });
});

test("files and folders are the owner's only, and their names tell neither agent nor tool", async () => {
  const { open, folder } = makeBench();
  await open().keep("ann@example.com", { tool: "secret-tool", mimeType: "text/plain", text: "x" });
  const [file = ""] = filesIn(folder);
  expect(file).not.toMatch(/ann|example|secret/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
  expect(statSync(join(file, "../..")).mode & 0o777).toBe(0o700);
});

test("where the first folder cannot be written the next one is used, and read", async () => {
  const { open, folder } = makeBench();
  writeFileSync(join(folder, "taken"), "a file");
  const store = open({}, [join(folder, "taken"), join(folder, "second")]);
  const id = await store.keep("ann", { tool: "probe", mimeType: "text/plain", text: "x" });
  expect(await store.read("ann", id)).toMatchObject({ text: "x" });
  await expect(open({}, [join(folder, "taken")]).keep("ann", { tool: "p", mimeType: "text/plain", text: "x" })).rejects.toMatchObject({
    code: "STORE_ERROR",
  });
  await expect(open({}, []).keep("ann", { tool: "p", mimeType: "text/plain", text: "x" })).rejects.toMatchObject({ code: "STORE_ERROR" });
});

test("files that are none of ours are neither given nor removed", async () => {
  const { open, folder, clock } = makeBench();
  const store = open();
  const id = await store.keep("ann", { tool: "probe", mimeType: "text/plain", text: "x" });
  const [file = ""] = filesIn(folder);
  const agentFolder = join(file, "..");
  writeFileSync(join(agentFolder, "notes.txt"), "mine", { mode: 0o600 });
  writeFileSync(join(agentFolder, `${clock.ms}-${"1".repeat(26)}.txt`), "no head", { mode: 0o600 });
  writeFileSync(join(agentFolder, `${clock.ms}-${"2".repeat(26)}.txt`), '{"version":2,"tool":"x"}\nlater', { mode: 0o600 });
  expect((await store.list("ann")).map((result) => result.id)).toEqual([id]);
  for (const other of ["1", "2"]) await expect(store.read("ann", other.repeat(26))).rejects.toMatchObject(NOT_FOUND);
  clock.ms += 3_600_000;
  await store.sweep();
  expect(filesIn(folder)).toEqual([join(agentFolder, "notes.txt")]);
});
