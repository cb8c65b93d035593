// What the documentation shows is true: its examples load, its commands exist, its links lead somewhere.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, inject, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { makeFolder, openWorkspace, PLAIN_SCRIPT } from "../support/workspace-folder.ts";
import { makeBench } from "./cli-process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A fenced block of a page; `text` without the fences. */
interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

const pages: readonly string[] = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`),
];
const blocks = pages.flatMap(blocksOf);
const json = blocks.filter(({ language }) => language === "json").map((block) => ({ ...block, value: objectOf(block) }));
const toolsBlocks = json.filter(({ value }) => Array.isArray(value.tools));
const settingsBlocks = json.filter(({ value }) => isSettings(value));
const scripts = blocks.filter(({ language }) => language === "js" || language === "ts");

const where = ({ page, line }: Block): string => `${page}:${line}`;

test("there are blocks of each kind, so that the tests below look at something", () => {
  expect([toolsBlocks, settingsBlocks, scripts].map((list) => list.length > 0)).toEqual([true, true, true]);
});

test("every JSON block is a tools.json, a toolyard.json or an entry for a client", () => {
  const others = json.filter((block) => !toolsBlocks.includes(block) && !settingsBlocks.includes(block));
  for (const block of others) expect(["mcpServers", "servers"], where(block)).toContain(Object.keys(block.value)[0]);
});

test("every tools.json in the docs fits the published schema, loads without a word, and is made of entries of the examples", async () => {
  const fits = schemaCheck("docs/tools.schema.json");
  const known = ["workspace", "starter"].flatMap((example) => exampleEntries(example));
  for (const block of toolsBlocks) {
    expect(fits(block.value), where(block)).toEqual([]);
    const entries = entriesOf(block.value);
    for (const entry of entries) expect(known, `${where(block)} ${String(entry.name)}`).toContainEqual(entry);
    expect(await problemsOf({ "tools.json": block.value, ...scriptsOf(entries) }), where(block)).toEqual([]);
  }
});

test("every toolyard.json in the docs fits the published schema and loads without a word", async () => {
  const fits = schemaCheck("docs/toolyard.schema.json");
  const tools = { tools: [{ name: "a", description: "Gives 1.", script: "scripts/a.js" }] };
  for (const block of settingsBlocks) {
    expect(fits(block.value), where(block)).toEqual([]);
    const files = { "toolyard.json": block.value, "tools.json": tools, "scripts/a.js": PLAIN_SCRIPT };
    expect(await problemsOf(files), where(block)).toEqual([]);
  }
});

test("the tools.json of both examples fits the published schema and loads without a word", async () => {
  const fits = schemaCheck("docs/tools.schema.json");
  for (const example of ["workspace", "starter"]) {
    const value = readJson(`examples/${example}/tools.json`);
    expect(fits(value), example).toEqual([]);
    expect(await problemsOf({ "tools.json": value, ...scriptsOf(exampleEntries(example)) }), example).toEqual([]);
  }
});

test("the published schemas refuse what the loader would not take, which shows that they check something", () => {
  expect(schemaCheck("docs/tools.schema.json")({ tools: [{ name: "a", timout: 3 }] })).not.toEqual([]);
  expect(schemaCheck("docs/toolyard.schema.json")({ sandbox: { isolation: "none" } })).not.toEqual([]);
});

test("every script in the docs is a passage of an example", () => {
  const files = ["workspace", "starter"].flatMap((example) =>
    readdirSync(join(root, "examples", example, "scripts")).map((name) => read(`examples/${example}/scripts/${name}`)),
  );
  for (const block of scripts)
    expect(
      files.some((text) => text.includes(block.text)),
      where(block),
    ).toBe(true);
});

test("every toolyard command in the docs exists, with the options it is shown with", async () => {
  using bench = makeBench(inject("installedCli"));
  const shown = [...new Set(pages.flatMap(commandsOf))].flatMap((text) => waysOf(text).map((words) => ({ text, words })));
  expect(shown.length).toBeGreaterThan(20);
  const words = [...new Set(shown.map((command) => command.words))];
  // A mistyped command shows the help of the program, whose usage line is another.
  const helps = new Map(
    await Promise.all(words.map(async (key) => [key, (await bench.run([...key.split(" "), "--help"])).stdout] as const)),
  );
  for (const { text, words: key } of shown) {
    const help = helps.get(key);
    expect(help, text).toContain(`Usage: toolyard ${key} `);
    for (const [option] of text.matchAll(/(?<= \[?)--[a-z-]+/g)) expect(help, text).toContain(option);
  }
});

test("every relative link in the docs leads to a file, and to a heading where it names one", () => {
  for (const page of pages) {
    for (const [, target = ""] of withoutBlocks(read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      expect(existsSync(join(root, file)), `${page}: ${target}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(read(file)), `${page}: ${target}`).toContain(anchor);
    }
  }
});

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function readJson(path: string): JsonObject {
  const value: JsonValue = JSON.parse(read(path));
  if (!isJsonObject(value)) throw new Error(`${path} is no object`);
  return value;
}

function blocksOf(page: string): readonly Block[] {
  const text = read(page);
  return [...text.matchAll(/^```([a-z]*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = "", content = ""] = match;
    return { page, line: text.slice(0, match.index).split("\n").length, language, text: content };
  });
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, "");
}

function objectOf(block: Block): JsonObject {
  const value: JsonValue = JSON.parse(block.text);
  if (!isJsonObject(value)) throw new Error(`${where(block)} is no object`);
  return value;
}

function isSettings(value: JsonObject): boolean {
  const { properties } = readJson("docs/toolyard.schema.json");
  return isJsonObject(properties) && !Array.isArray(value.tools) && Object.keys(value).every((key) => Object.hasOwn(properties, key));
}

/** A check against a published schema that gives what is wrong, as text. */
function schemaCheck(path: string): (value: JsonObject) => readonly string[] {
  const validate = new Ajv2020({ allErrors: true, strict: true }).compile(readJson(path));
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`));
}

function entriesOf({ tools }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tools) ? tools.filter((entry: JsonValue) => isJsonObject(entry)) : [];
}

function exampleEntries(example: string): readonly JsonObject[] {
  return entriesOf(readJson(`examples/${example}/tools.json`));
}

/** The scripts that entries name, from the example that has them, and what scripts import. */
function scriptsOf(entries: readonly JsonObject[]): Readonly<Record<string, string>> {
  const found = entries.flatMap(({ script }) => {
    const file = ["workspace", "starter"]
      .map((example) => `examples/${example}/${String(script)}`)
      .find((path) => existsSync(join(root, path)));
    return file === undefined ? [] : [[String(script), read(file)] as const];
  });
  const imported = readdirSync(join(root, "examples/workspace/lib")).map(
    (name) => [`lib/${name}`, read(`examples/workspace/lib/${name}`)] as const,
  );
  return Object.fromEntries([...found, ...imported]);
}

/** All findings of a workspace of these files, warnings included. */
async function problemsOf(files: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> {
  const workspace = await openWorkspace(makeFolder(files), { watch: false });
  return workspace.current().problems;
}

/** What follows `toolyard` in code: spans, and blocks that hold commands. */
function commandsOf(page: string): readonly string[] {
  const spans = [...withoutBlocks(read(page)).matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text.replaceAll(/\s+/g, " "));
  const lines = blocksOf(page)
    .filter(({ language }) => language === "")
    .flatMap(({ text }) => text.split("\n"));
  return [...spans, ...lines].flatMap((text) =>
    [...text.matchAll(/(?:^|[ (])toolyard ([a-z]+[^#]*)/g)].map(([, command = ""]) => command.trim()),
  );
}

function anchorsOf(text: string): readonly string[] {
  const ids = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id);
  const headings = [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  return [...ids, ...headings];
}

/** Name of the command, with each subcommand where it has some: `secrets set|list` is two. */
function waysOf(command: string): readonly string[] {
  const [name = "", second = ""] = command.split(" ");
  const hasSubcommands = ["secrets", "agents"].includes(name) && /^[a-z|]+$/.test(second);
  return hasSubcommands ? second.split("|").map((way) => `${name} ${way}`) : [name];
}
