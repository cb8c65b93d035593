import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type SecretBench, secretBench } from "../../../../test/support/secret-cli.ts";

const VALUE = "canary-value-of-the-test";

async function stored(): Promise<SecretBench> {
  const bench = secretBench();
  const { code } = await bench.run(["secrets", "set", "API_KEY", "--host", "api.example.com", "--method", "GET"], VALUE);
  expect(code).toBe(0);
  return bench;
}

async function hostsOf({ run }: SecretBench): Promise<unknown> {
  const { secrets } = JSON.parse((await run(["secrets", "list", "--json"])).stdout);
  return secrets.map(({ name, hosts }: { readonly name: string; readonly hosts: readonly string[] }) => `${name} ${hosts.join(" ")}`);
}

test("allow adds a host for whoever has the value, and nothing for anybody else", async () => {
  const bench = await stored();
  const allow = ["secrets", "allow", "API_KEY", "--host", "uploads.example.com"];
  for (const input of ["", "another-value-of-the-test", VALUE.slice(1)]) {
    const refused = await bench.run(allow, input);
    expect([refused.code, refused.stdout], input).toEqual([1, ""]);
    expect(refused.stderr).toMatch(/^INVALID_REQUEST /);
  }
  expect(await hostsOf(bench)).toEqual(["API_KEY api.example.com"]);
  const done = await bench.run(allow, `${VALUE}\n`);
  expect(done).toEqual({
    code: 0,
    stdout: "API_KEY for this workspace can go to https://api.example.com, https://uploads.example.com with GET and nowhere else.\n",
    stderr: "",
  });
  const again = await bench.run([...allow, "--json"], VALUE);
  expect(JSON.parse(again.stdout)).toEqual({
    name: "API_KEY",
    scope: "workspace",
    changed: [],
    hosts: ["api.example.com", "uploads.example.com"],
    methods: ["GET"],
  });
});

test("a value that is given to compare is not said to be stored, or not to be", async () => {
  const bench = await stored();
  const { code, stderr } = await bench.run(["secrets", "allow", "API_KEY", "--host", "b.example.com"], "\n");
  expect([code, stderr]).toEqual([1, "INVALID_REQUEST  The value for API_KEY is empty.\n"]);
});

test("deny takes a host away without the value, but not the last one and none that is not there", async () => {
  const bench = await stored();
  await bench.run(["secrets", "allow", "API_KEY", "--host", "b.example.com"], VALUE);
  const other = await bench.run(["secrets", "deny", "API_KEY", "--host", "c.example.com"]);
  expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/^INVALID_REQUEST /)]);
  const done = await bench.run(["secrets", "deny", "API_KEY", "--host", "api.example.com"]);
  expect(done.stdout).toBe("API_KEY for this workspace can go to https://b.example.com with GET and nowhere else.\n");
  const last = await bench.run(["secrets", "deny", "API_KEY", "--host", "b.example.com"]);
  expect([last.code, last.stderr]).toEqual([1, expect.stringContaining("toolyard secrets remove")]);
  expect(await hostsOf(bench)).toEqual(["API_KEY b.example.com"]);
});

test("rename keeps value, hosts and age, and says what becomes of global secrets", async () => {
  const bench = await stored();
  await bench.run(["secrets", "set", "API_KEY", "--host", "g.example.com", "--global"], `${VALUE}-2`);
  await bench.run(["secrets", "set", "OTHER", "--host", "g.example.com", "--global"], `${VALUE}-3`);
  const taken = await bench.run(["secrets", "rename", "API_KEY", "OTHER", "--global"]);
  expect([taken.code, taken.stderr]).toEqual([1, expect.stringMatching(/^INVALID_REQUEST /)]);
  const done = await bench.run(["secrets", "rename", "API_KEY", "OTHER"]);
  expect(done.stdout.split("\n")).toEqual([
    "API_KEY for this workspace is called OTHER now. Tools that name API_KEY need the new name in tools.json.",
    "A global API_KEY is stored too; this workspace does not get it until toolyard trust allows it.",
    "A global OTHER is stored too; in this workspace its own OTHER wins.",
    "",
  ]);
  expect(await hostsOf(bench)).toEqual(["OTHER api.example.com", "API_KEY g.example.com", "OTHER g.example.com"]);
  expect((await bench.run(["secrets", "rename", "API_KEY", "THIRD"])).stderr).toMatch(/^SECRET_MISSING /);
});

test("the first secret tells the recovery key and other places for the key, once and on stderr", async () => {
  const bench = secretBench();
  const first = await bench.run(["secrets", "set", "ONE", "--host", "a.example.com", "--json"], VALUE);
  expect(JSON.parse(first.stdout)).toMatchObject({ name: "ONE", key: "key-file", replaced: false });
  const recovery = /^Recovery key: ((?:[0-9A-Z]{4}-){13}[0-9A-Z]{4})$/m.exec(first.stderr)?.[1] ?? "";
  expect(recovery).not.toBe("");
  expect(first.stdout).not.toContain(recovery);
  for (const command of ["--to passphrase", "--to key-file --key-file KEY", "--to credential --key-file KEY"])
    expect(first.stderr).toContain(`toolyard secrets rekey ${command}`);
  const second = await bench.run(["secrets", "set", "TWO", "--host", "a.example.com"], VALUE);
  expect(second.stderr).toBe("");
});

test("rekey changes the key, its place, and opens a vault whose key is lost", async () => {
  const bench = secretBench();
  const first = await bench.run(["secrets", "set", "API_KEY", "--host", "api.example.com"], VALUE);
  const recovery = /^Recovery key: (\S+)$/m.exec(first.stderr)?.[1] ?? "";
  const allow = ["secrets", "allow", "API_KEY", "--host", "api.example.com"];
  const opens = async (env: Readonly<Record<string, string>> = {}): Promise<number> => (await bench.run(allow, VALUE, env)).code;
  expect((await bench.run(["secrets", "rekey"])).stdout).toBe(
    "The vault has a new key: key file. Running servers use it on their next call.\n",
  );
  expect(await opens()).toBe(0);
  const short = await bench.run(["secrets", "rekey", "--to", "passphrase"], "too short\n");
  expect([short.code, short.stderr]).toEqual([1, expect.stringMatching(/^VAULT_KEY /)]);
  const moved = await bench.run(["secrets", "rekey", "--to", "passphrase", "--json"], "correct horse battery\n");
  expect(JSON.parse(moved.stdout)).toMatchObject({ from: "key-file", to: "passphrase", full: false });
  expect(await opens()).toBe(1);
  expect(await opens({ TOOLYARD_PASSPHRASE: "correct horse battery" })).toBe(0);
  expect((await bench.run(allow, VALUE)).stderr).toMatch(/^VAULT_LOCKED /);
  const wrong = await bench.run(["secrets", "rekey", "--recover", "--to", "key-file"], `${recovery.replaceAll("-", "").slice(1)}A\n`);
  expect(wrong.code).toBe(1);
  const recovered = await bench.run(["secrets", "rekey", "--recover", "--to", "key-file", "--full"], `${recovery}\n`);
  expect(recovered.code).toBe(0);
  // A full change makes the recovery key void, so a new one is shown.
  expect(recovered.stderr).toMatch(/^Recovery key: /);
  expect(recovered.stderr).not.toContain(recovery);
  expect(await opens()).toBe(0);
  const renewed = await bench.run(["secrets", "rekey", "--recovery-key"]);
  expect([renewed.code, renewed.stderr]).toEqual([0, expect.stringMatching(/^Recovery key: /)]);
});

test("rekey takes a key file of the person's own and says what a server needs then", async () => {
  const bench = await stored();
  const file = join(bench.home, "own.key");
  writeFileSync(file, `${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
  const moved = await bench.run(["secrets", "rekey", "--to", "key-file", "--key-file", file]);
  expect([moved.code, moved.stderr]).toEqual([0, ""]);
  expect(moved.stdout).toContain(`Set TOOLYARD_MASTER_KEY_FILE=${file} wherever toolyard runs.`);
  const allow = ["secrets", "allow", "API_KEY", "--host", "b.example.com"];
  expect((await bench.run(allow, VALUE)).code).toBe(1);
  expect((await bench.run(allow, VALUE, { TOOLYARD_MASTER_KEY_FILE: file })).code).toBe(0);
});

test("rekey moves the key to a credential that a person made, which a service has to be given from then on", async () => {
  const bench = await stored();
  const folder = join(bench.home, "credentials");
  mkdirSync(folder, { mode: 0o700 });
  const file = join(folder, "toolyard-master-key");
  const key = `${randomBytes(32).toString("base64")}\n`;
  writeFileSync(file, key, { mode: 0o600 });
  const moved = await bench.run(["secrets", "rekey", "--to", "credential", "--key-file", file, "--json"]);
  expect([moved.code, JSON.parse(moved.stdout)]).toEqual([
    0,
    { from: "key-file", to: "credential", full: false, advice: [expect.stringContaining("LoadCredentialEncrypted=")] },
  ]);
  expect([readFileSync(file, "utf8"), existsSync(join(bench.home, "master.key"))]).toEqual([key, false]);
  const allow = ["secrets", "allow", "API_KEY", "--host", "b.example.com"];
  expect((await bench.run(allow, VALUE)).stderr).toMatch(/^VAULT_LOCKED /);
  expect((await bench.run(allow, VALUE, { CREDENTIALS_DIRECTORY: folder })).code).toBe(0);
});

test.each([
  [["rekey"], "There is no vault yet"],
  [["rekey", "--recovery-key", "--full"], "--recovery-key stands alone"],
  [["rekey", "--to", "keychain", "--key-file", "x"], "--key-file belongs to"],
  [["rekey", "--to", "credential"], "name the file with the new key"],
  [["rekey", "--recover"], "--recover --to key-file"],
  [["allow", "API_KEY"], "toolyard secrets allow API_KEY --host api.example.com"],
  [["deny", "API_KEY", "--host", "*"], "--host"],
  [["rename", "API_KEY", "sk-live-canary"], "may be a value"],
])("secrets %j says what is wrong with it, exits with 2, and asks for nothing", async (args, hint) => {
  const { code, stdout, stderr } = await secretBench().run(["secrets", ...args], VALUE);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(hint);
  expect(stderr).not.toContain("canary");
});

test("a value on the command line is refused by every command, and repeated by none", async () => {
  const bench = await stored();
  const canary = "sk-live-c4n4ry";
  const host = ["--host", "api.example.com"];
  for (const args of [
    ["set", "API_KEY", canary, ...host],
    ["set", "API_KEY", "--value", canary, ...host],
    ["set", canary, ...host],
    ["allow", "API_KEY", canary, ...host],
    ["allow", "API_KEY", `--value=${canary}`, ...host],
    ["allow", "API_KEY", "--host", canary],
    ["deny", "API_KEY", canary, ...host],
    ["deny", canary, ...host],
    ["rename", "API_KEY", canary],
    ["rename", "API_KEY", "NEW", canary],
    ["remove", "API_KEY", canary],
    ["rekey", canary],
    ["rekey", "--to", canary],
    ["rekey", "--recovery-key", canary],
    ["list", canary],
    ["check", canary],
    [canary],
    [`${canary}'\n\r'`, "API_KEY", ...host],
    [`--${canary}`],
    ["help", canary],
  ]) {
    const { code, stdout, stderr } = await bench.run(["secrets", ...args]);
    expect(code, args.join(" ")).toBe(2);
    expect(stdout + stderr, args.join(" ")).not.toContain(canary);
  }
  expect((await bench.run(["help", "secrets", canary])).stderr).toMatch(/^INVALID_ARGUMENTS {2}There is no such command here\./);
  expect((await bench.run(["secrets", "lst"])).stderr).toBe(
    "INVALID_ARGUMENTS  unknown command (Did you mean list?)\n  See: toolyard secrets --help\n",
  );
});

test("a word too many is told as that where no value belongs, with how the command is written, and help offers none", async () => {
  const bench = await stored();
  for (const [args, usage] of [
    [["remove", "API_KEY", "OTHER"], "toolyard secrets remove NAME"],
    [["list", "x"], "toolyard secrets list"],
    [["check", "x"], "toolyard secrets check"],
    [["import", "f", "x"], "toolyard secrets import FILE"],
    [["rename", "A", "B", "C"], "toolyard secrets rename NAME NEW_NAME"],
    [["rekey", "x"], "toolyard secrets rekey"],
  ] as const) {
    const { code, stderr } = await bench.run(["secrets", ...args]);
    expect([code, stderr.includes(`It is written: ${usage}\n`), stderr.includes("secrets set")], usage).toEqual([2, true, false]);
    const help = (await bench.run(["secrets", args[0], "--help"])).stdout;
    expect([help.includes("value..."), help.includes("refused")], usage).toEqual([false, false]);
  }
  expect((await bench.run(["secrets", "set", "API_KEY", "x"])).stderr).toContain("send it to stdin");
  expect((await bench.run(["secrets", "list"])).stdout).toContain("API_KEY");
});

test("no command shows a value, with and without --json, whether it succeeds or fails", async () => {
  const bench = secretBench([{ name: "one", headers: { "X-Key": "{{API_KEY}}" } }]);
  bench.write({ ".env": `IMPORTED=${VALUE}\n`, "map.json": { IMPORTED: { hosts: ["api.example.com"] } } });
  const host = ["--host", "api.example.com"];
  const told: string[] = [];
  for (const args of [
    ["set", "API_KEY", ...host],
    ["set", "API_KEY"],
    ["set", "API_KEY", "--host", "b.example.com"],
    ["set", "GLOBAL", ...host, "--global"],
    ["allow", "API_KEY", "--host", "b.example.com"],
    ["allow", "NONE", ...host],
    ["deny", "API_KEY", "--host", "b.example.com"],
    ["import", ".env", "--map", "map.json"],
    ["import", ".env"],
    ["list"],
    ["check"],
    ["rename", "IMPORTED", "MOVED"],
    ["rename", "MOVED", "IMPORTED"],
    ["rekey"],
    ["rekey", "--full"],
    ["rekey", "--to", "passphrase"],
    ["check"],
    ["remove", "API_KEY"],
  ])
    for (const form of [[], ["--json"]]) {
      const { stdout, stderr } = await bench.run(["secrets", ...args, ...form], `${VALUE}\n`);
      told.push(`${args.join(" ")}: ${stdout}${stderr}`);
    }
  expect(told.filter((text) => /canary|Y2FuYXJ5/.test(text))).toEqual([]);
  // All of them had something to say, or this would show nothing.
  expect(told.filter((text) => text.endsWith(": "))).toEqual([]);
});
