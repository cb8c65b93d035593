import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type SecretBench, secretBench } from "../../../../test/support/secret-cli.ts";

const VALUE = "canary-value-of-the-test";
const HOSTS = { hosts: ["api.example.com"] };

async function stored({ run }: SecretBench): Promise<readonly string[]> {
  const { secrets } = JSON.parse((await run(["secrets", "list", "--json"])).stdout);
  return secrets.map(({ name, hosts }: { readonly name: string; readonly hosts: readonly string[] }) => `${name} ${hosts.join(" ")}`);
}

/** Imports `.env` by the map. */
async function importBy(bench: SecretBench, env: string, map: unknown, ...options: readonly string[]): ReturnType<SecretBench["run"]> {
  bench.write({ ".env": env, "map.json": map });
  return bench.run(["secrets", "import", ".env", "--map", "map.json", ...options]);
}

test("import takes what the map names with the hosts it says, quotes and comments as Node reads them, and says what it left out", async () => {
  const bench = secretBench();
  const env = `# keys\nexport API_KEY="${VALUE}-1" # of the API\nOTHER='${VALUE} #2'\nPORT=3000\nlower_case=${VALUE}\n`;
  const map = { API_KEY: { ...HOSTS, header: "X-Key", format: "Key %s", methods: ["get"] }, OTHER: { hosts: ["*.example.org"] } };
  const done = await importBy(bench, env, map);
  expect([done.code, done.stdout.split("\n")]).toEqual([
    0,
    [
      'Stored API_KEY → https://api.example.com in header x-key as "Key %s" with GET',
      "Stored OTHER → https://*.example.org",
      "2 secrets are stored for this workspace.",
      "Left out: PORT.",
      'Left out too: 1 whose names have other than capital letters, digits and "_".',
      "",
    ],
  ]);
  expect(done.stderr).toContain(".env still holds the values as plain text.");
  expect(done.stdout + done.stderr).not.toContain("canary");
  expect(await stored(bench)).toEqual(["API_KEY api.example.com", "OTHER *.example.org"]);
  // The values are those of the file: who allows a host has to have them.
  for (const [name, value] of [
    ["API_KEY", `${VALUE}-1`],
    ["OTHER", `${VALUE} #2`],
  ] as const)
    expect((await bench.run(["secrets", "allow", name, "--host", "b.example.com"], value)).code, name).toBe(0);
});

test.each([
  ["a value of several lines", `GOOD=${VALUE}\nAPI_KEY="-----BEGIN\ncanary\n-----END"\n`, 1],
  ["an empty value", `GOOD=${VALUE}\nAPI_KEY=\n`, 1],
  ["a value that is easy to guess", `GOOD=${VALUE}\nAPI_KEY=12345678\n`, 1],
  ["a name that stands twice", `GOOD=${VALUE}\nAPI_KEY=${VALUE}\nAPI_KEY=${VALUE}-2\n`, 2],
  ["a name of the map that is missing", `GOOD=${VALUE}\n`, 2],
])("a file with %s stores nothing at all", async (_what, env, exit) => {
  const bench = secretBench();
  const refused = await importBy(bench, env, { GOOD: HOSTS, API_KEY: HOSTS });
  expect([refused.code, refused.stdout]).toEqual([exit, ""]);
  expect(refused.stderr).toContain("API_KEY");
  expect(refused.stderr).not.toMatch(/canary|12345678/);
  expect(await stored(bench)).toEqual([]);
});

test("values of 8 characters are taken if they are not easy to guess, others with --allow-short, which says what is lost", async () => {
  const bench = secretBench();
  expect((await importBy(bench, "API_KEY=k7Wq!z2P\n", { API_KEY: HOSTS })).code).toBe(0);
  const weak = await importBy(bench, "PIN=1234\n", { PIN: HOSTS }, "--allow-short", "--json");
  expect(JSON.parse(weak.stdout)).toEqual({
    scope: "workspace",
    secrets: [{ name: "PIN", replaced: false, ...HOSTS, weakness: "unmasked" }],
    leftOut: [],
    unusableNames: 0,
  });
});

test("a name that is stored keeps its hosts; another binding in the map stores nothing", async () => {
  const bench = secretBench();
  await importBy(bench, `API_KEY=${VALUE}\n`, { API_KEY: HOSTS });
  bench.write({ ".env": `API_KEY=${VALUE}-2\n` });
  const again = await bench.run(["secrets", "import", ".env"]);
  expect([again.code, again.stdout.split("\n")[0]]).toEqual([0, "Replaced API_KEY → https://api.example.com"]);
  const other = await importBy(bench, `API_KEY=${VALUE}\nNEW=${VALUE}\n`, { NEW: HOSTS, API_KEY: { hosts: ["evil.example.net"] } });
  expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/^INVALID_REQUEST .*API_KEY is stored already/)]);
  expect(await stored(bench)).toEqual(["API_KEY api.example.com"]);
});

test("without a map and without a terminal it says what to write, and stores nothing", async () => {
  const bench = secretBench();
  bench.write({ ".env": `API_KEY=${VALUE}\n` });
  const refused = await bench.run(["secrets", "import", ".env"]);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain('{"API_KEY":{"hosts":["api.example.com"]}}');
  expect(await stored(bench)).toEqual([]);
});

test.each([
  ["no object", [], "map.json:1:1"],
  ["an unknown key", { API_KEY: { ...HOSTS, host: "x" } }, "map.json:2:14"],
  ["no hosts", { API_KEY: { hosts: [] } }, "map.json:3:14"],
  ["any host", { API_KEY: { hosts: ["*"] } }, "map.json:2:14"],
  ["a value in place of a host", { API_KEY: { hosts: ["canary-c4n4ry"] } }, "map.json:2:14"],
  ["a value in place of a name", { "canary-c4n4ry": HOSTS }, "map.json:2:20"],
  ["__proto__", '{"__proto__": {"hosts": ["api.example.com"]}}', "map.json:1:2"],
  ["a name twice", '{"API_KEY": {"hosts": ["a.example.com"]}, "API_KEY": {"hosts": ["b.example.com"]}}', "map.json:1:43"],
])("a map with %s is refused with its place", async (_what, map, place) => {
  const bench = secretBench();
  const refused = await importBy(bench, `API_KEY=${VALUE}\n`, map);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain(place);
  expect(refused.stderr).not.toContain("--host");
  expect(refused.stderr).not.toContain("c4n4ry");
});

test.each([
  ["missing.env", "ENOENT"],
  [".", "not a regular file"],
  ["latin1.env", "not text in UTF-8"],
  ["large.env", "at most 1048576 are read"],
])("a file %s is refused", async (name, hint) => {
  const bench = secretBench();
  writeFileSync(join(bench.cwd, "latin1.env"), Buffer.from([0x41, 0x3d, 0xe9]));
  writeFileSync(join(bench.cwd, "large.env"), "#".repeat(1_048_577));
  const refused = await bench.run(["secrets", "import", name]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(hint)]);
});
