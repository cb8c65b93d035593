// What users get: the files of the tarball and what an installation of it holds.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";

/** Most bytes of an installation with its dependencies, on one platform (DESIGN 12). */
const MAX_INSTALLED_BYTES = 75_000_000;

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const modules = join(inject("installedRoot"), "node_modules");
const packed = join(modules, "toolyard");

function filesBelow(folder: string): readonly string[] {
  return globSync("**/*", { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());
}

test("the tarball holds the compiled sources, the guest texts as they are, examples, the users' docs, and nothing of the development", () => {
  const pages = ["CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"];
  expect(readdirSync(packed).toSorted()).toEqual([...pages, "dist", "docs", "examples", "package.json"]);
  const files = filesBelow(packed);
  expect(files.filter((path) => /\.test\.|(^|\/)(test|tooling|bench|fixtures)\/|\.tgz$/.test(path))).toEqual([]);
  expect(files.filter((path) => path.startsWith("dist/") && !/\.(js|d\.ts|js\.map)$/.test(path))).toEqual([]);
  const guests = globSync(["sandbox/guest/*.js", "capabilities/*/guest.js"], { cwd: join(PROJECT, "src") })
    .filter((path) => !path.endsWith(".test.js"))
    .toSorted();
  expect(guests.length).toBeGreaterThan(10);
  for (const path of guests) {
    expect(readFileSync(join(packed, "dist", path), "utf8"), path).toBe(readFileSync(join(PROJECT, "src", path), "utf8"));
  }
});

test("the docs are in the tarball, and every link of its pages leads to a file there, but for those to what stays in the repository", () => {
  const docs = readdirSync(join(PROJECT, "docs"), { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(readdirSync(join(packed, "docs")).toSorted()).toEqual(docs.map(({ name }) => name).toSorted());
  const pages = globSync(["*.md", "docs/*.md"], { cwd: packed });
  const links = pages.flatMap((page) =>
    [...readFileSync(join(packed, page), "utf8").matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, link = ""]) =>
      join(dirname(page), link),
    ),
  );
  expect(links.length).toBeGreaterThan(30);
  const dead = links.filter((link) => !existsSync(join(packed, link)));
  expect(dead.filter((link) => !/^docs\/(decisions|evidence)\//.test(link))).toEqual([]);
});

test("an installation has no Node of its own, no development dependency, and no install scripts but the sandbox's and the bundler's", () => {
  const lock = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
  const names = Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1) ?? path);
  const manifest = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  expect(names).toContain("isolated-vm");
  expect(names.filter((name) => /^(node|node-bin.*|node-(linux|darwin|win).*|toolyard-node-runtime)$/.test(name))).toEqual([]);
  expect(names.filter((name) => name in manifest.devDependencies)).toEqual([]);
  const scripted = Object.entries<{ readonly hasInstallScript?: boolean }>(lock.packages).filter(([, entry]) => entry.hasInstallScript);
  expect(scripted.map(([path]) => path)).toEqual(["node_modules/esbuild", "node_modules/isolated-vm"]);
});

test("the command is executable by its name, runs on the packaged Node 24, and says its version", () => {
  const bin = join(modules, ".bin/toolyard");
  expect(statSync(bin).mode & 0o111).toBe(0o111);
  const PATH = [dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
  const run = (args: readonly string[]): string => execFileSync(bin, args, { encoding: "utf8", env: { PATH } });
  const { version } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  expect(process.versions.node).toMatch(/^24\./);
  expect(run(["--version"])).toBe(`${version}\n`);
  const examples = JSON.parse(run(["list", "--json", "-w", join(packed, "examples/workspace")]));
  expect(examples.tools.length).toBeGreaterThanOrEqual(6);
  const converted = run(["run", "convert-units", "amount=1", "from=km", "to=m", "--json", "-w", join(packed, "examples/workspace")]);
  expect(JSON.parse(converted).value).toEqual({ amount: 1000, unit: "m" });
});

test("an installation takes at most 75 MB", () => {
  const sizes = new Map<string, number>();
  for (const path of filesBelow(modules)) {
    const name = path.split("/", path.startsWith("@") ? 2 : 1).join("/");
    sizes.set(name, (sizes.get(name) ?? 0) + lstatSync(join(modules, path)).size);
  }
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const largest = [...sizes].toSorted(([, a], [, b]) => b - a).slice(0, 8);
  const report = largest.map(([name, size]) => `${name} ${(size / 1e6).toFixed(1)}`).join(", ");
  expect(total, `MB by package: ${report}`).toBeLessThan(MAX_INSTALLED_BYTES);
});

test("publint finds nothing to mend in the tarball", () => {
  const [tarball = ""] = globSync("*.tgz", { cwd: inject("installedRoot") });
  const publint = join(PROJECT, "node_modules/.bin/publint");
  const found = spawnSync(process.execPath, [publint, "run", join(inject("installedRoot"), tarball), "--strict"], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
  });
  expect({ code: found.status, said: found.stdout.trim().split("\n").at(-1) }).toEqual({ code: 0, said: "All good!" });
});
