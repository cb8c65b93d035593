import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Secret } from "../core/secret.ts";
import { type SecretVault, withSecretFolder } from "./secret-folder.ts";
import { openVault } from "./vault.ts";

const STORED = "stored-value-of-the-test";
const MOUNTED = "mounted-value-of-the-test";

interface Bench {
  readonly base: string;
  readonly dir: string;
  readonly root: string;
  readonly home: string;
  /** Puts a file into the folder. */
  put(name: string, text: string, mode?: number): void;
  open(dir?: string): SecretVault;
  /** The value of API_KEY now, or the error's code and message. */
  value(): Promise<string>;
}

async function makeBench(): Promise<Bench> {
  const base = mkdtempSync(join(tmpdir(), "folder-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [dir, root, home] = [join(base, "secrets"), join(base, "tools"), join(base, "home")];
  for (const folder of [dir, root]) mkdirSync(folder, { mode: 0o755 });
  const vault = openVault({ home, config: { keychain: false } });
  onTestFinished(() => vault[Symbol.dispose]());
  await vault.set({ kind: "global" }, "API_KEY", new Secret(STORED), { binding: { hosts: ["api.example.com"], header: "x-key" } });
  const open = (at = dir): SecretVault => withSecretFolder(vault, { dir: at, workspaceRoot: root });
  return {
    ...{ base, dir, root, home, open },
    put: (name, text, mode = 0o444) => {
      writeFileSync(join(dir, name), text);
      chmodSync(join(dir, name), mode);
    },
    async value() {
      try {
        const found = (await open().resolve(undefined, ["API_KEY"], () => 1)).get("API_KEY");
        return found?.kind === "found" ? found.secret.reveal() : `${found?.kind}`;
      } catch (error) {
        return String(Object(error).code ?? error);
      }
    },
  };
}

test("a file's value wins over the stored one, name and hosts stay the vault's, and a change is live at once", async () => {
  const bench = await makeBench();
  expect(await bench.value()).toBe(STORED);
  bench.put("API_KEY", `${MOUNTED}\n`);
  bench.put("OTHER_KEY", MOUNTED);
  expect(await bench.value()).toBe(MOUNTED);
  const opened = bench.open();
  const found = await opened.resolve(undefined, ["API_KEY", "OTHER_KEY"], () => 1);
  expect(found.get("API_KEY")).toMatchObject({ binding: { hosts: ["api.example.com"], header: "x-key" } });
  // What is not stored has no hosts, so it can go nowhere.
  expect(found.get("OTHER_KEY")).toEqual({ kind: "missing" });
  rmSync(join(bench.dir, "API_KEY"));
  bench.put("API_KEY", "another-mounted-value");
  const again = (await opened.resolve(undefined, ["API_KEY"], () => 1)).get("API_KEY");
  expect(again?.kind === "found" && again.secret.reveal()).toBe("another-mounted-value");
});

test("a global secret that nobody trusted stays so, and a locked vault stays locked, whatever the folder holds", async () => {
  const bench = await makeBench();
  bench.put("API_KEY", MOUNTED);
  expect((await bench.open().resolve(undefined, ["API_KEY"], () => undefined)).get("API_KEY")).toMatchObject({ kind: "untrusted" });
  using locked = openVault({ home: bench.home, config: { keychain: false } });
  rmSync(join(bench.home, "master.key"));
  const folder = withSecretFolder(locked, { dir: bench.dir, workspaceRoot: bench.root });
  await expect(folder.resolve(undefined, ["API_KEY"], () => 1)).rejects.toMatchObject({ code: "VAULT_LOCKED" });
});

test("links within the folder are followed, as Kubernetes makes them, also when it swaps them", async () => {
  const bench = await makeBench();
  const version = (name: string, value: string): void => {
    mkdirSync(join(bench.dir, name), { mode: 0o755 });
    bench.put(`${name}/API_KEY`, value);
  };
  version("..2026_01", MOUNTED);
  symlinkSync("..2026_01", join(bench.dir, "..data"));
  symlinkSync("..data/API_KEY", join(bench.dir, "API_KEY"));
  // Its mounts are open to all, with the sticky bit.
  chmodSync(bench.dir, 0o1777);
  expect(await bench.value()).toBe(MOUNTED);
  version("..2026_02", "rotated-value-of-the-test");
  symlinkSync("..2026_02", join(bench.dir, "..data_tmp"));
  renameSync(join(bench.dir, "..data_tmp"), join(bench.dir, "..data"));
  expect(await bench.value()).toBe("rotated-value-of-the-test");
});

test("a link that leads out, a pipe, a folder, and a file that others can write to are refused", async () => {
  const bench = await makeBench();
  const file = join(bench.dir, "API_KEY");
  writeFileSync(join(bench.base, "outside"), MOUNTED);
  symlinkSync(join(bench.base, "outside"), file);
  expect(await bench.value()).toBe("STORE_ERROR");
  rmSync(file);
  execFileSync("mkfifo", [file]);
  expect(await bench.value()).toBe("STORE_ERROR");
  rmSync(file);
  mkdirSync(file);
  expect(await bench.value()).toBe("STORE_ERROR");
  rmSync(file, { recursive: true });
  for (const mode of [0o464, 0o446]) {
    bench.put("API_KEY", MOUNTED, mode);
    expect(await bench.value(), mode.toString(8)).toBe("STORE_ERROR");
    rmSync(file);
  }
  bench.put("API_KEY", MOUNTED, 0o400);
  expect(await bench.value()).toBe(MOUNTED);
});

test.each([
  ["nothing", ""],
  ["a short value", "hunter2"],
  ["a blank at its end", `${MOUNTED} \n`],
  ["a line break inside", `${MOUNTED}\n${MOUNTED}`],
  ["more than 64 KiB", "x".repeat(65_539)],
  ["exactly one byte too many", "ab".repeat(32_768).concat("c")],
])("a file with %s is refused, and its text is in no message", async (_what, text) => {
  const bench = await makeBench();
  bench.put("API_KEY", text);
  const error = await bench
    .open()
    .resolve(undefined, ["API_KEY"], () => 1)
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "STORE_ERROR" });
  if (text !== "") expect(String(error)).not.toContain(text.slice(0, 7));
  // Nobody stores anything here.
  expect(String(error)).not.toMatch(/stored\.|allow-short/);
  expect(String(error)).not.toContain(bench.base);
});

test("a file that is far too large is refused without being read", async () => {
  const bench = await makeBench();
  bench.put("API_KEY", "");
  // Sparse: it takes no room, but reading it would.
  execFileSync("truncate", ["-s", "1G", join(bench.dir, "API_KEY")]);
  const opened = bench.open();
  await expect(opened.resolve(undefined, ["API_KEY"], () => 1)).rejects.toThrow("is over 64 KiB");
});

test("a folder that is missing, is a file, lies in the workspace, or that others can write to is refused at the start", async () => {
  const bench = await makeBench();
  const inside = join(bench.root, "secrets");
  mkdirSync(inside);
  symlinkSync(inside, join(bench.base, "link-to-inside"));
  writeFileSync(join(bench.base, "file"), "");
  mkdirSync(join(bench.base, "open"));
  chmodSync(join(bench.base, "open"), 0o775);
  for (const dir of ["missing", "file", "tools/secrets", "tools", "link-to-inside", "open"])
    expect(() => bench.open(join(bench.base, dir)), dir).toThrow(expect.objectContaining({ code: "STORE_ERROR" }));
});
