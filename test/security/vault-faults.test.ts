/** The vault where it cannot be written or is not ours: a clear error, nothing lost, no lock and no half file left. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempDisposableSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import { openVault } from "../../src/secrets/vault.ts";

const FAULTS = fileURLToPath(new URL("../support/vault-faults.ts", import.meta.url));
const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;
const NAMES = ["set", "setNew", "rename", "allow", "deny", "remove", "rekey", "full", "recovery"];

interface Attempt {
  readonly name: string;
  readonly code: string;
  readonly left: readonly string[];
  readonly isUnchanged: boolean;
  readonly found: string;
}

/** A home of its own with a vault in it, as the mode "make" of the process makes it. */
async function makeVault(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "faults-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  using vault = openVault({ home, config: { keychain: false } });
  const scope = { kind: "workspace", id: "workspace-1" } as const;
  const binding = { hosts: ["api.example.com", "more.example.com"] };
  for (const name of ["A", "B"]) await vault.set(scope, name, new Secret("value-of-a-here"), { binding });
  return home;
}

async function attempts(program: string, args: readonly string[]): Promise<readonly Attempt[]> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  return (await text(child.stdout)).split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

function refused(name: string): Attempt {
  return { name, code: "STORE_ERROR", left: [], isUnchanged: true, found: "done" };
}

test.skipIf(process.platform === "win32")("where files cannot grow, every change is refused and nothing is lost", async () => {
  const home = await makeVault();
  // One block of 512 bytes holds the lock and a key, but not the vault. That nothing can be written at all, the full disk below shows too.
  for (const blocks of canMount() ? [1] : [0, 1]) {
    const script = `ulimit -f ${blocks} && exec "$0" "$@"`;
    expect(await attempts("sh", ["-c", script, process.execPath, FAULTS, home, "limit"]), `${blocks} blocks`).toEqual(NAMES.map(refused));
  }
  expect(readdirSync(home).sort()).toEqual(["master.key", "vault.json", "vault.json.bak"]);
});

/** A file system of 128 KiB in memory, in namespaces of its own. */
function inSmallFileSystem(folder: string, script: string): readonly [string, readonly string[]] {
  const mount = `mount -t tmpfs -o size=128k,mode=700 none "$1" && mkdir -m 700 "$1/home" && "$0" "$2" "$1/home" make`;
  return ["unshare", ["-Urm", "sh", "-c", `${mount} && ${script}`, process.execPath, folder, FAULTS]];
}

function canMount(): boolean {
  return spawnSync("unshare", ["-Urm", "sh", "-c", "mount -t tmpfs none /tmp"]).status === 0;
}

test("on a full disk a change is done or refused, with no space left or a little", async (context) => {
  // The limit of the file size above stands for it where nothing may be mounted.
  if (!canMount()) return context.skip();
  using folder = mkdtempDisposableSync(join(tmpdir(), "faults-"));
  const seen = await attempts(...inSmallFileSystem(folder.path, 'exec "$0" "$2" "$1/home" full "$1/filler" 0,1,3,9'));
  expect(seen.map(({ name }) => name)).toEqual(NAMES.flatMap((name) => [0, 1, 3, 9].map((pages) => `${name} ${pages}`)));
  for (const { name, code, ...rest } of seen) {
    expect(["done", "STORE_ERROR"], name).toContain(code);
    expect(rest, name).toEqual({ left: [], isUnchanged: true, found: "done" });
  }
  for (const name of NAMES) {
    const codes = seen.filter((attempt) => attempt.name.startsWith(`${name} `)).map(({ code }) => code);
    expect([codes[0], codes.at(-1)], name).toEqual(["STORE_ERROR", "done"]);
  }
});

test.skipIf(process.platform === "win32")(
  "in a folder that cannot be written to, every change is refused and secrets are still there",
  async () => {
    const home = await makeVault();
    const user = isRoot ? NOBODY : (process.geteuid?.() ?? 0);
    if (isRoot) for (const path of [home, ...readdirSync(home).map((name) => join(home, name))]) chownSync(path, NOBODY, NOBODY);
    chmodSync(home, 0o500);
    onTestFinished(() => chmodSync(home, 0o700));
    expect(await attempts(process.execPath, [FAULTS, home, "as", String(user)])).toEqual(NAMES.map(refused));
  },
);

// Only root can give files away.
test.skipIf(!isRoot)("a vault, backup or folder of another user is refused, and read again once it is given back", async () => {
  const home = await makeVault();
  const use = async (): Promise<unknown> => {
    using vault = openVault({ home, config: { keychain: false } });
    return (await vault.resolve("workspace-1", ["A"], () => undefined)).get("A")?.kind;
  };
  expect(await use()).toBe("found");
  for (const path of [join(home, "vault.json"), home]) {
    chownSync(path, NOBODY, NOBODY);
    await expect(use(), path).rejects.toMatchObject({ code: "STORE_ERROR", message: expect.stringContaining("another user") });
    using vault = openVault({ home, config: { keychain: false } });
    await expect(vault.rekey(), path).rejects.toMatchObject({ code: "STORE_ERROR" });
    chownSync(path, 0, 0);
    expect(await use()).toBe("found");
  }
});
