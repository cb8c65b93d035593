// What users install has no switch that turns a guard off: every variable and every option it knows is listed here, with what it is for.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";

const packed = join(inject("installedRoot"), "node_modules/toolyard");
const dist = join(packed, "dist");
const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));

/** Text of every module by its path, of which several lie in one file; comments are left out, as they may name what is refused. */
const files = new Map(
  globSync("**/*.js", { cwd: dist })
    .toSorted()
    .flatMap((path) => modulesOf(path, readFileSync(join(dist, path), "utf8"))),
);

/** Variables of the environment that the program reads, and what for. None of them reaches a check, a look-up or a connection. */
const VARIABLES: Readonly<Record<string, string>> = {
  APPDATA: "where settings lie on Windows",
  CREDENTIALS_DIRECTORY: "where systemd puts the key",
  DBUS_SESSION_BUS_ADDRESS: "whether there is a keychain",
  NODE_DEBUG: "to refuse to start with it",
  NODE_DEBUG_NATIVE: "to refuse to start with it",
  NODE_OPTIONS: "to refuse options that weaken the process",
  NO_COLOR: "no colours",
  TOOLYARD_CONFIRM: "that --yes stands for a person; narrows, for without it --yes does nothing",
  TOOLYARD_HOME: "toolyard's own folder",
  TOOLYARD_LOG: "how much is logged",
  TOOLYARD_MASTER_KEY_FILE: "the key of the vault",
  TOOLYARD_PASSPHRASE: "the key of the vault",
  TOOLYARD_PASSPHRASE_FILE: "the key of the vault",
  TOOLYARD_WORKSPACE: "the workspace",
  XDG_CONFIG_HOME: "where settings lie",
};

/** Options of the command, and what for. */
const OPTIONS: Readonly<Record<string, string>> = {
  "--agent": "whose tools are shown",
  "--allow-short": "store a short secret; says that it is not masked",
  "--another": "a further token for an agent",
  "--args": "arguments of a tool",
  "--expose": "which tools are listed",
  "--format": "the form in which a secret goes, narrows",
  "--full": "all keys anew",
  "--global": "a secret for all workspaces",
  "--header": "the header in which a secret goes, narrows",
  "--host": "where a secret may go, asked of a person",
  "--http": "listen; refused for others without an address and tokens",
  "--json": "output for programs",
  "--key-file": "a new key of the vault",
  "--kind": "which trust to take back",
  "--list": "only show",
  "--map": "where imported secrets may go",
  "--method": "the methods with which a secret goes, narrows",
  "--no-auth": "no tokens; refused unless only this machine is served",
  "--poll": "look at files instead of waiting for events",
  "--public-url": "the address of the server",
  "--recover": "open with the recovery key",
  "--recovery-key": "make a recovery key",
  "--revoke": "take trust back",
  "--save": "keep a result",
  "--secrets-dir": "values of containers, for names the vault holds",
  "--to": "where the key of the vault goes",
  "--tool": "which trust to take back",
  "--value": "which trust to take back; refused for secrets",
  "--workspace": "the workspace",
  "--yes": "trust without asking, where TOOLYARD_CONFIRM=1 is set",
};

/** What would be a switch, by its name. */
const SWITCH_WORDS =
  /\bNODE_ENV\b|__TEST__|__DEV__|\bVITEST\b|import\.meta\.env|--(?:unsafe|insecure|no-verify|skip)|TOOLYARD_(?:UNSAFE|INSECURE|TEST|DEBUG|DISABLE|SKIP|ALLOW)/;

const UNCHECKED_TLS = /rejectUnauthorized:(?!\s*true\b)|checkServerIdentity:\s*\(\)\s*=>/;

test("the code of the package is in the files that are searched, and nowhere else", () => {
  const code = globSync("**/*.{js,cjs,mjs,node,wasm,sh}", { cwd: packed, exclude: ["node_modules/**"] });
  expect(code.filter((path) => !/^(?:dist\/.*\.js|examples\/.*)$/.test(path.replaceAll("\\", "/")))).toEqual([]);
  expect(files.size).toBeGreaterThan(300);
});

test("every variable that is read is on the list, and only the command line reads any", () => {
  const readers = [...files].filter(([, text]) => /\bprocess\d*\.env\b/.test(text)).map(([path]) => path);
  // The bundler's own process gives scripts an empty "process.env"; it has no environment itself.
  expect(readers.toSorted()).toEqual(["cli/main.js", "cli/process.js", "workspace/bundle/bundle-child.js"]);
  // By a name that stands elsewhere; what calls these two is looked for as well.
  const byName = [...files].flatMap(([path, text]) => [...text.matchAll(/\benv\[(?!")/g)].map(() => path));
  expect(byName).toEqual(["cli/config.js", "cli/config.js"]);
  const read = new Set([...files.values()].flatMap(variablesIn));
  expect([...read].filter((name) => !(name in VARIABLES) && name !== "NODE_ENV").toSorted()).toEqual([]);
  expect(Object.keys(VARIABLES).filter((name) => !read.has(name))).toEqual([]);
});

test("every option of the command is on the list", () => {
  const options = new Set([...files].flatMap(([path, text]) => (path.startsWith("cli/") ? optionsIn(text) : [])));
  expect([...options].filter((name) => !(name in OPTIONS)).toSorted()).toEqual([]);
  expect(Object.keys(OPTIONS).filter((name) => !options.has(name))).toEqual([]);
});

test("no build flag, no test switch, no unsafe mode", () => {
  const found = [...files].flatMap(([path, text]) =>
    text.split("\n").flatMap((line) => (SWITCH_WORDS.test(line) ? [`${path}: ${line.trim()}`] : [])),
  );
  // The first is refused by name, the second is what scripts see of NODE_ENV.
  expect(
    found.filter((line) => !/^cli\/node-options\.js: .*"--insecure-http-parser"|^workspace\/bundle\/bundle-child\.js: define:/.test(line)),
  ).toEqual([]);
});

test("TLS is never unchecked, and look-up, connection and checks are set by nothing of the command", () => {
  for (const [path, text] of files) {
    expect(UNCHECKED_TLS.test(text), path).toBe(false);
    if (!path.startsWith("egress/")) expect(/\baddressRules\b|\btargetChecks\b/.test(text), path).toBe(false);
    // The arguments by which tests stub them.
    if (path.startsWith("cli/")) expect(/\b(?:lookup|dial|ownAddresses)\b|\bnetwork:\s*\{\s*(?:lookup|dial)/.test(text), path).toBe(false);
  }
  expect(files.get("engine/runtime.js")?.match(/\boptions\.network\b/g)).toEqual(["options.network"]);
  // Imports of several modules stand together where they are compiled; which one asks stands in the sources.
  const sources = globSync("**/*.ts", { cwd: SOURCES, exclude: ["**/*.test.ts"] });
  const asking = sources.filter((path) => /\bnode:dns\b/.test(readFileSync(join(SOURCES, path), "utf8")));
  expect(asking).toEqual(["egress/connector.ts"]);
});

test("the search finds each kind of switch", () => {
  const planted = `// process.env.IN_A_COMMENT
    const a = env.SOME_SWITCH, b = flag(env, "OTHER_SWITCH"), c = read("TOOLYARD_THIRD"), d = env["FOURTH"];
    program.option("-k, --insecure", "").option("--no-checks").addOption(new Option("--hidden <x>").hideHelp());
    connect({ rejectUnauthorized: options.strict }); connect({ rejectUnauthorized: true });`;
  const text = withoutComments(planted);
  expect(variablesIn(text).toSorted()).toEqual(["FOURTH", "OTHER_SWITCH", "SOME_SWITCH", "TOOLYARD_THIRD"]);
  expect(optionsIn(text)).toEqual(["--insecure", "--no-checks", "--hidden"]);
  expect([SWITCH_WORDS.test(text), UNCHECKED_TLS.test(text)]).toEqual([true, true]);
});

/** The modules of a compiled file, each after a comment with its name, and what stands before the first. */
function modulesOf(path: string, text: string): readonly (readonly [path: string, text: string])[] {
  const [head = "", ...parts] = text.split(/^\/\/ src\/(.+)\.ts$/m);
  const modules = parts.flatMap((name, index) =>
    index % 2 === 0 ? [[`${name}.js`, withoutComments(parts[index + 1] ?? "")] as const] : [],
  );
  return modules.length === 0 ? [[path, withoutComments(head)]] : [[`${path} (imports)`, withoutComments(head)], ...modules];
}

/** Without blocks, and without lines that are nothing but a comment: elsewhere two slashes may stand in a text. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

function variablesIn(text: string): readonly string[] {
  return [
    /\b(?:process\.)?env\.([A-Z][A-Z0-9_]+)\b/g,
    /\b(?:process\.)?env\["([A-Z][A-Z0-9_]+)"\]/g,
    /\b(?:absolutePath|flag|filled)\d*\(env, "([A-Z][A-Z0-9_]+)"/g,
    /"(TOOLYARD_[A-Z0-9_]+)"/g,
  ].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
}

function optionsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?:\.option|new Option\d*|\.requiredOption|\.createOption)\(\s*"(?:-\w, )?(--[a-z-]+)/g)].map(
    ([, name = ""]) => name,
  );
}
