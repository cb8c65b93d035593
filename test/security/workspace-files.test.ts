// A workspace is written by whoever can edit the folder. Nothing in it may make the server read a file elsewhere, hang, or run other bytes than it hashed.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readInsideFile } from "../../src/workspace/inside-file.ts";
import { scriptPathFault } from "../../src/workspace/script-path.ts";
import { entry, makeFolder, makeWorkspaceFolder, openWorkspace, PLAIN_SCRIPT, putFiles } from "../support/workspace-folder.ts";

const CANARY = "canary-of-a-file-elsewhere";
const OUTSIDE_SCRIPT = `function main() { return "${CANARY}"; }\n`;

/** What the workspace says of its one tool; never the text of the file elsewhere. */
async function outcomeOf(root: string, script: string): Promise<string> {
  putFiles(root, { "tools.json": { tools: [entry("a", { script })] } });
  const workspace = await openWorkspace(root, { watch: false });
  const { tools, broken } = workspace.current();
  expect(JSON.stringify(workspace.current())).not.toContain(CANARY);
  return tools.length > 0 ? "works" : (broken[0]?.problem.code ?? "nothing");
}

test.each<[string, string, (root: string, outside: string) => void]>([
  ["a link to a file", "scripts/x.js", (root, outside) => symlinkSync(join(outside, "a.js"), join(root, "scripts/x.js"))],
  ["a link to a folder", "x/a.js", (root, outside) => symlinkSync(outside, join(root, "x"))],
  [
    "a chain of links",
    "scripts/1.js",
    (root, outside) => {
      symlinkSync("2.js", join(root, "scripts/1.js"));
      symlinkSync("../3.js", join(root, "scripts/2.js"));
      symlinkSync(join(outside, "a.js"), join(root, "3.js"));
    },
  ],
  [
    "a relative link",
    "scripts/x.js",
    (root, outside) => symlinkSync(join("../..", outside.split("/").at(-1) ?? "", "a.js"), join(root, "scripts/x.js")),
  ],
  [
    "a link into the server's own folder",
    "scripts/x.js",
    (root) => {
      putFiles(root, { ".toolyard/a.js": OUTSIDE_SCRIPT });
      symlinkSync("../.toolyard/a.js", join(root, "scripts/x.js"));
    },
  ],
])("%s does not lead a script out of the workspace", async (_name, script, prepare) => {
  const outside = makeFolder({ "a.js": OUTSIDE_SCRIPT });
  const root = makeWorkspaceFolder([]);
  prepare(root, outside);
  // Joining the paths, which looks harmless by its text, does read the file.
  expect(scriptPathFault(script)).toBeUndefined();
  expect(readFileSync(join(root, script), "utf8")).toContain(CANARY);
  expect(await outcomeOf(root, script)).toBe("PATH_OUTSIDE");
});

test.each([".toolyard/a.js", ".Toolyard/a.js", ".TOOLYARD/x/a.js"])(
  "a script in the server's own folder is refused as %s",
  async (script) => {
    const root = makeWorkspaceFolder([], { [script]: OUTSIDE_SCRIPT });
    expect(readFileSync(join(root, script), "utf8")).toContain(CANARY);
    expect(await outcomeOf(root, script)).toBe("PATH_OUTSIDE");
  },
);

test("a link that stays in the workspace works", async () => {
  const root = makeWorkspaceFolder([]);
  symlinkSync("a.js", join(root, "scripts/x.js"));
  expect(await outcomeOf(root, "scripts/x.js")).toBe("works");
});

test("a hard link is a file of the workspace like any other: who can make one can read its content already", async () => {
  const root = makeWorkspaceFolder([]);
  linkSync(join(root, "scripts/a.js"), join(root, "scripts/x.js"));
  expect(await outcomeOf(root, "scripts/x.js")).toBe("works");
});

test.each(["tools.json", "toolyard.json"])("%s that is a link to a file elsewhere shows no line of it", async (file) => {
  const outside = makeFolder({ secret: `${CANARY}\n` });
  const root = makeFolder(file === "tools.json" ? {} : { "tools.json": { tools: [] } });
  symlinkSync(join(outside, "secret"), join(root, file));
  // Reading and parsing it as any JSON file would put its line into the problem.
  expect(readFileSync(join(root, file), "utf8")).toContain(CANARY);
  const workspace = await openWorkspace(root, { watch: false });
  expect(workspace.current().problems.map(({ code }) => code)).toEqual(["PATH_OUTSIDE"]);
  expect(JSON.stringify(workspace.current())).not.toContain(CANARY);
});

test("a workspace whose own path goes through links works", async () => {
  const real = makeWorkspaceFolder([entry("a")]);
  const link = join(makeFolder(), "link");
  symlinkSync(real, link);
  const workspace = await openWorkspace(link, { watch: false });
  expect(workspace.current().tools.length).toBe(1);
});

test.skipIf(process.platform === "win32")("a pipe or a device as a script is refused at once", async () => {
  const root = makeWorkspaceFolder([]);
  execFileSync("mkfifo", [join(root, "scripts/pipe.js")]);
  // Opened plainly, a pipe without a writer blocks its reader.
  const reader = spawn("cat", [join(root, "scripts/pipe.js")], { stdio: "ignore" });
  await once(reader, "spawn");
  expect(reader.exitCode).toBeNull();
  const startMs = performance.now();
  expect(await outcomeOf(root, "scripts/pipe.js")).toBe("FILE_UNREADABLE");
  expect(performance.now() - startMs).toBeLessThan(500);
  reader.kill();
  await once(reader, "exit");
  symlinkSync("/dev/zero", join(root, "scripts/zero.js"));
  expect(await outcomeOf(root, "scripts/zero.js")).toBe("PATH_OUTSIDE");
  mkdirSync(join(root, "scripts/folder.js"));
  expect(await outcomeOf(root, "scripts/folder.js")).toBe("FILE_UNREADABLE");
});

/** A process that exchanges, as fast as it can, the folder of a script for a link to a folder elsewhere. */
async function startSwapping(root: string, outside: string): Promise<ChildProcess> {
  const program = `
    const { renameSync, symlinkSync } = require("node:fs");
    const [root, outside] = process.argv.slice(1);
    symlinkSync(outside, root + "/link");
    process.stdout.write("ready");
    for (;;) {
      try { renameSync(root + "/scripts", root + "/real"); renameSync(root + "/link", root + "/scripts"); } catch {}
      try { renameSync(root + "/scripts", root + "/link"); renameSync(root + "/real", root + "/scripts"); } catch {}
    }`;
  const child = spawn(process.execPath, ["-e", program, root, outside], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  if (child.stdout !== null) await once(child.stdout, "data");
  return child;
}

test.skipIf(process.platform === "win32")(
  "a folder that is exchanged for a link while a script is read never gives a file elsewhere",
  async () => {
    const outside = makeFolder({ "a.js": OUTSIDE_SCRIPT });
    const root = makeWorkspaceFolder([entry("a")]);
    const child = await startSwapping(root, outside);
    const seen = { plain: 0, guarded: 0, read: 0 };
    for (const endMs = performance.now() + 1_500; performance.now() < endMs; ) {
      // Without the guard: ask where it lies, then read it by its path.
      try {
        if (readFileSync(join(root, "scripts/a.js"), "utf8").includes(CANARY)) seen.plain += 1;
      } catch {
        // the moment between two renames
      }
      const read = readInsideFile(root, "scripts/a.js", 1_000);
      if (read.kind !== "read") continue;
      seen.read += 1;
      if (read.bytes.includes(CANARY)) seen.guarded += 1;
    }
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(seen.plain).toBeGreaterThan(0);
    expect(seen.read).toBeGreaterThan(0);
    expect(seen.guarded).toBe(0);
  },
);

test("a script that is replaced all the time is always a whole version, hashed and served from the same bytes", async () => {
  const versions = ["1", "2"].map((value) => `function main() { return "${value.repeat(5_000)}"; }\n`);
  const hashes = versions.map((text) => createHash("sha256").update(text).digest("hex"));
  const root = makeWorkspaceFolder([entry("a")], { "scripts/a.js": versions[0] });
  const workspace = await openWorkspace(root, { watch: false });
  const seen = new Set<string>();
  for (let save = 0; save < 400; save++) {
    writeFileSync(join(root, "next.js"), versions[save % 2] ?? PLAIN_SCRIPT);
    renameSync(join(root, "next.js"), join(root, "scripts/a.js"));
    await workspace.refresh({ kind: "tool", name: "a" });
    const script = workspace.current().tools[0]?.script;
    expect(script?.sha256).toBe(
      createHash("sha256")
        .update(script?.source ?? "")
        .digest("hex"),
    );
    expect(script?.sha256).toBe(hashes[save % 2]);
    seen.add(script?.sha256 ?? "");
  }
  expect(seen.size).toBe(2);
});

test("an edit that leaves size and time stamps as they were, right after the one before, is seen", async () => {
  const root = makeWorkspaceFolder([entry("a")], { "scripts/a.js": "function main() { return 1000; }" });
  const workspace = await openWorkspace(root, { watch: false });
  for (let save = 1_001; save < 1_200; save++) {
    // In place and of the same length: only content, and perhaps a tick of the clock, tells the two apart.
    writeFileSync(join(root, "scripts/a.js"), `function main() { return ${save}; }`);
    await workspace.refresh({ kind: "tool", name: "a" });
    expect(workspace.current().tools[0]?.script.source).toBe(`function main() { return ${save}; }`);
  }
});

test("keys that name prototypes change no object of the server, wherever they stand", async () => {
  const text = `{"tools": [{"name": "a", "description": "x", "script": "scripts/a.js", "config": {"a": {"__proto__": {"polluted": 1}}}},
    {"name": "b", "description": "x", "script": "scripts/a.js", "headers": {"__proto__": "polluted"}},
    {"name": "c", "description": "x", "script": "scripts/a.js", "config": {"constructor": {"prototype": {"polluted": 1}}}}]}`;
  // Copying such an object as code often does gives the copy another prototype.
  expect(Object.getPrototypeOf(Object.assign({}, JSON.parse('{"__proto__": {"polluted": 1}}')))).toEqual({ polluted: 1 });
  const root = makeFolder({ "tools.json": text, "scripts/a.js": PLAIN_SCRIPT });
  const workspace = await openWorkspace(root, { watch: false });
  expect(workspace.current().tools.map(({ name }) => name)).toEqual(["c"]);
  expect([Reflect.get({}, "polluted"), Reflect.get(Object, "polluted")]).toEqual([undefined, undefined]);
});
