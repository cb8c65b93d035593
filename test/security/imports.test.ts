/** Imports of scripts: nothing outside of the workspace is read or shown, and the bundler is no way around that. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { BundleService } from "../../src/workspace/bundle/bundle-service.ts";
import { bundlerCommand } from "../../src/workspace/bundle/bundler-command.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { HAS_PROC } from "../support/processes.ts";
import { makeHome, openTestRuntime } from "../support/runtime.ts";
import { eventually, isAlive } from "../support/sandbox-call.ts";
import { entry, makeFolder, openWorkspace, putFiles } from "../support/workspace-folder.ts";

/** What lies in files that no script may import; no code, so that a bundler which read it would quote it. */
const SECRET = "const = the-secret-line;";

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/bundler/${name}`, import.meta.url));

function makeScript(script: string, files: Readonly<Record<string, unknown>> = {}): string {
  return makeFolder({ "tools.json": { tools: [entry("a", { script: "scripts/a.ts" })] }, "scripts/a.ts": script, ...files });
}

/** Every way out that the files of a workspace can name: the import, and what makes it lead out. */
const WAYS: readonly (readonly [string, string, (root: string, outside: string) => void])[] = [
  ["a link to a file", "../lib/secret", (root, outside) => symlinkSync(join(outside, "secret.ts"), join(root, "lib/secret.ts"))],
  ["a link to a folder", "../lib/out/secret", (root, outside) => symlinkSync(outside, join(root, "lib/out"))],
  [
    "a link to a link",
    "../lib/second",
    (root, outside) => {
      symlinkSync(join(outside, "secret.ts"), join(root, "lib/first.ts"));
      symlinkSync("first.ts", join(root, "lib/second.ts"));
    },
  ],
  ["a link of a package", "linked", (root, outside) => symlinkSync(outside, join(root, "node_modules/linked"))],
  [
    "a folder of packages that is a link",
    "inner/x/secret.ts",
    (root, outside) => symlinkSync(join(outside, ".."), join(root, "node_modules/inner")),
  ],
  [
    "the main file of a package",
    "pkg",
    (root, outside) => putFiles(root, { "node_modules/pkg/package.json": { main: `../../..${outside}/secret.ts` } }),
  ],
  [
    "a whole path as main file",
    "pkg",
    (root, outside) => putFiles(root, { "node_modules/pkg/package.json": { main: `${outside}/secret.ts` } }),
  ],
  [
    "the exports of a package",
    "pkg/x",
    (root, outside) => putFiles(root, { "node_modules/pkg/package.json": { exports: { "./x": `./../../..${outside}/secret.ts` } } }),
  ],
  [
    "a pattern in the exports of a package",
    `pkg/..%2f..%2f..${"OUTSIDE"}/secret`,
    (root) => putFiles(root, { "node_modules/pkg/package.json": { exports: { "./*": "./*.ts" } } }),
  ],
  [
    "the browser field of a package",
    "pkg",
    (root, outside) =>
      putFiles(root, {
        "node_modules/pkg/package.json": { main: "a.js", browser: { "./a.js": `../../..${outside}/secret.ts` } },
        "node_modules/pkg/a.js": "",
      }),
  ],
  [
    "the imports of the workspace's package.json",
    "#x",
    (root, outside) => putFiles(root, { "package.json": { imports: { "#x": `./..${outside}/secret.ts` } } }),
  ],
  [
    "a package.json that is a link",
    "pkg",
    (root, outside) => {
      putFiles(root, { "node_modules/pkg/x.ts": "export default 1;" });
      symlinkSync(join(outside, "package.json"), join(root, "node_modules/pkg/package.json"));
    },
  ],
  [
    "a tsconfig.json with paths and extends",
    "alias/secret",
    (root, outside) =>
      putFiles(root, {
        "tsconfig.json": { extends: `${outside}/tsconfig.json`, compilerOptions: { baseUrl: "/", paths: { "alias/*": [`${outside}/*`] } } },
      }),
  ],
  ["a whole path", "OUTSIDE/secret.ts", () => undefined],
  ["an address of a file", "file://OUTSIDE/secret.ts", () => undefined],
  ["steps upwards", "../../../../../../../..OUTSIDE/secret", () => undefined],
  ["a hidden file", "../lib/.env.json", (root) => putFiles(root, { "lib/.env.json": SECRET })],
  ["a hidden folder", "../.git/config.json", (root) => putFiles(root, { ".git/config.json": SECRET })],
  ["the server's own folder", "../.toolyard/state.json", (root) => putFiles(root, { ".toolyard/state.json": SECRET })],
  [
    "a link to the server's own folder",
    "../lib/state",
    (root) => {
      putFiles(root, { ".toolyard/state.ts": SECRET });
      symlinkSync("../.toolyard/state.ts", join(root, "lib/state.ts"));
    },
  ],
  ["a hidden folder of packages", "../node_modules/.cache/x", (root) => putFiles(root, { "node_modules/.cache/x.ts": SECRET })],
];

test.each(WAYS)("an import by %s gives nothing of what lies there", async (_way, specifier, prepare) => {
  const outside = makeFolder({
    "secret.ts": SECRET,
    "x/secret.ts": SECRET,
    "package.json": { main: "secret.ts" },
    "tsconfig.json": { compilerOptions: { paths: { "alias/*": ["./*"] } } },
  });
  const written = specifier.replace("OUTSIDE", outside);
  const root = makeScript(`import x from ${JSON.stringify(written)};\nexport default () => x;\n`, {
    "lib/x.ts": "",
    "node_modules/x/x.js": "",
  });
  prepare(root, outside);
  const logged: string[] = [];
  const keep = (event: string, fields?: object): void => void logged.push(JSON.stringify({ event, ...fields }));
  const workspace = await openWorkspace(root, { log: { debug: keep, info: keep, warn: keep, error: keep } });
  const { tools, broken } = workspace.current();
  expect(tools).toEqual([]);
  expect(["IMPORT_OUTSIDE", "IMPORT_MISSING", "IMPORT_UNSUPPORTED"]).toContain(broken[0]?.problem.code);
  expect(broken[0]?.problem.place).toMatchObject({ file: "scripts/a.ts", line: 1, column: 15 });
  const shown = JSON.stringify([workspace.current(), logged]);
  expect(shown).not.toContain("the-secret-line");
  // The message may say what the author wrote; of the other files not even the path.
  expect(shown.replaceAll(JSON.stringify(written).slice(1, -1), "")).not.toContain(outside);
});

test("the bundler left to itself reads and quotes what a link leads to, and follows the folder's tsconfig.json", async () => {
  const outside = makeFolder({ "secret.ts": SECRET, "tsconfig.json": { compilerOptions: { paths: { "alias/*": ["./*"] } } } });
  const root = makeScript('import x from "../lib/secret";\nimport y from "alias/secret";\nexport default () => [x, y];\n', {
    "lib/x.ts": "",
    "tsconfig.json": { extends: `${outside}/tsconfig.json` },
  });
  symlinkSync(join(outside, "secret.ts"), join(root, "lib/secret.ts"));
  const entryPoints = [join(root, "scripts/a.ts")];
  const failure: unknown = await build({ entryPoints, bundle: true, write: false, logLevel: "silent" }).catch((error: unknown) => error);
  expect(JSON.stringify(failure)).toContain("the-secret-line");
  const workspace = await openWorkspace(root);
  expect(JSON.stringify(workspace.current())).not.toContain("the-secret-line");
});

test("a call of a tool whose import leads out answers IMPORT_OUTSIDE", async () => {
  const root = makeScript('import x from "../../x";\nexport default () => x;\n');
  await using runtime = await openTestRuntime(root, makeHome());
  expect(await runtime.run("a")).toMatchObject({
    kind: "error",
    code: "IMPORT_OUTSIDE",
    data: { problem: { code: "IMPORT_OUTSIDE", line: 1, column: 15 } },
  });
});

test("a folder exchanged for a link to the outside while scripts are bundled is never followed", async () => {
  const outside = makeFolder({ "one.ts": SECRET });
  const root = makeScript('import { one } from "../lib/one";\nexport default () => one;\n', { "lib/one.ts": "export const one = 1;\n" });
  const workspace: Workspace = await openWorkspace(root, { watch: false });
  symlinkSync(outside, join(root, "lib-out"));
  for (let round = 0; round < 20; round++) {
    putFiles(root, { "scripts/a.ts": `import { one } from "../lib/one";\nexport default () => one + ${round};\n` });
    const refreshed = workspace.refresh({ kind: "list" });
    renameSync(join(root, "lib"), join(root, "lib-in"));
    renameSync(join(root, "lib-out"), join(root, "lib"));
    await refreshed;
    expect(JSON.stringify(workspace.current())).not.toContain("the-secret-line");
    renameSync(join(root, "lib"), join(root, "lib-out"));
    renameSync(join(root, "lib-in"), join(root, "lib"));
  }
  rmSync(join(root, "lib-out"));
});

async function reportOf(command: { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv }): Promise<unknown> {
  const child = fork(fixture("probe-child.mjs"), [], {
    env: command.env,
    execArgv: [...command.args],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const [report] = await once(child, "message");
  await once(child, "exit");
  return report;
}

test("the bundling process has no environment and no access to files or threads, and its programs have no environment", async () => {
  const open = { read: "possible", list: "possible", write: "possible", worker: "possible" };
  const unguarded = await reportOf({ args: [], env: { TOOLYARD_PASSPHRASE: "x" } });
  expect(unguarded).toMatchObject({ ...open, ofPrograms: expect.stringContaining("TOOLYARD_PASSPHRASE=x") });
  const denied = "ERR_ACCESS_DENIED";
  const args = [...bundlerCommand().args, `--allow-fs-read=${fixture("probe-child.mjs")}`];
  const guarded = await reportOf({ args, env: {} });
  // Node hands its own restrictions on to what the process starts.
  const ofPrograms = expect.stringMatching(/^(?:NODE_OPTIONS=.*\n)?$/);
  expect(guarded).toEqual({ read: denied, list: denied, write: denied, worker: denied, environment: [], ofPrograms });
});

test.runIf(HAS_PROC)("the real bundling process and its program have nothing of the server's environment", async () => {
  await using service = new BundleService();
  await service.strip("a.ts", "export default 1;");
  const { pid } = service;
  const programs = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean);
  expect(programs).toHaveLength(1);
  const names = [String(pid), ...programs].map((id) =>
    readFileSync(`/proc/${id}/environ`, "latin1")
      .split("\0")
      .filter(Boolean)
      .map((line) => line.split("=")[0]),
  );
  // By two Node opens the channel to its parent, and by one it hands its restrictions on.
  const ofNode = ["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE", "NODE_OPTIONS"];
  expect(names.flat().filter((name = "") => !ofNode.includes(name))).toEqual([]);
});

test.runIf(HAS_PROC)("a server that is killed leaves no bundling process behind, not even a busy one", async () => {
  const server: ChildProcess = spawn(process.execPath, [fixture("parent.ts")], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void server.kill("SIGKILL"));
  if (server.stdout === null) throw new Error("There is no output to read.");
  const [bytes] = await once(server.stdout, "data");
  const pid = Number(String(bytes));
  const programs = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  expect([pid, ...programs].map(isAlive)).toEqual([true, true]);
  server.kill("SIGKILL");
  await eventually("the bundling process and its program have ended", 10_000, () => ![pid, ...programs].some(isAlive));
});

test.runIf(HAS_PROC)(
  "code nested a million levels deep ends the bundler before it takes a gigabyte, and the next script is bundled",
  async () => {
    const root = makeFolder({
      "tools.json": { tools: [entry("deep", { script: "scripts/deep.ts" }), entry("a", { script: "scripts/a.ts" })] },
      "scripts/deep.ts": `import "../lib/deep";\nexport default () => 1;\n`,
      "lib/deep.ts": `export default ${"(".repeat(1_000_000)}`,
      "scripts/a.ts": "export default (): number => 1;\n",
    });
    const workspace = await openWorkspace(root);
    const { tools, problems } = workspace.current();
    expect(tools.map(({ name }) => name)).toEqual(["a"]);
    expect(problems.map(({ code, tool }) => [code, tool])).toEqual([["BUNDLE", "deep"]]);
    expect(problems[0]?.message).toContain("used more than 512 MiB");
  },
);

const SPOILS: readonly (readonly [string, (file: string, folder: string) => void])[] = [
  ["others may write it", (file) => chmodSync(file, 0o666)],
  ["others may write its folder", (_file, folder) => chmodSync(folder, 0o777)],
  ["its end is lost", (file) => writeFileSync(file, readFileSync(file, "utf8").slice(0, -100))],
  ["its code is another", (file) => writeFileSync(file, readFileSync(file, "utf8").replace("plain text", "other text"))],
  ["it is for other files", (file) => writeFileSync(file, readFileSync(file, "utf8").replace(/"key":"../, '"key":"zz'))],
  [
    "it is a link",
    (file) => {
      renameSync(file, `${file}.moved`);
      symlinkSync(`${file}.moved`, file);
    },
  ],
];

test.each(SPOILS)("a kept bundle is not used if %s", async (_why, spoil) => {
  const root = makeScript("export default (): string => 'plain text';\n");
  const cacheFolder = join(makeHome(), "cache");
  const start = async (): Promise<readonly [readonly string[], boolean]> => {
    const events: string[] = [];
    const keep = (event: string): void => void events.push(event);
    const workspace = await openWorkspace(root, { cacheFolder, watch: false, log: { debug: keep, info: keep, warn: keep, error: keep } });
    const [tool] = workspace.current().tools;
    return [events.filter((event) => event === "bundle.made"), tool?.script.source.includes("plain text") === true];
  };
  expect(await start()).toEqual([["bundle.made"], true]);
  expect(await start()).toEqual([[], true]);
  const [name = ""] = readdirSync(cacheFolder);
  spoil(join(cacheFolder, name), cacheFolder);
  expect(await start()).toEqual([["bundle.made"], true]);
});
