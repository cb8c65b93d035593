import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codes, entry, makeFolder, openWorkspace, PLAIN_SCRIPT, putFiles, whenChanged } from "../../test/support/workspace-folder.ts";
import type { Workspace } from "./workspace.ts";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC", "base64");

async function open(offers: object, files: Readonly<Record<string, unknown>> = {}, watch = false): Promise<Workspace> {
  const root = makeFolder({ "tools.json": { tools: [entry("a")], ...offers }, "scripts/a.js": PLAIN_SCRIPT, ...files });
  return openWorkspace(root, { watch });
}

const prompt = (name: string, more: object): object => ({ name, description: `Does ${name}.`, ...more });
const resource = (uri: string, file: string, more: object = {}): object => ({ uri, name: uri, file, ...more });

test("prompts and resources are listed with what their entries and files say", async () => {
  const workspace = await open(
    {
      prompts: [
        prompt("review", { title: "Review", arguments: [{ name: "path", required: true, values: ["a", "b"] }], file: "./p/review.md" }),
        prompt("show", { messages: [{ role: "assistant", text: "Look." }, { file: "red.png" }] }),
      ],
      resources: [
        resource("docs://red", "red.png", { description: "Red." }),
        resource("docs://{id}", "p/review.md", { mimeType: "text/x-review" }),
      ],
    },
    { "p/review.md": "Review {{path}}.", "red.png": PNG },
  );
  const { offers, problems } = workspace.current();
  expect(problems).toEqual([]);
  expect(offers.prompts.map(({ definition }) => definition)).toEqual([
    { name: "review", title: "Review", description: "Does review.", arguments: [{ name: "path", required: true, values: ["a", "b"] }] },
    { name: "show", description: "Does show.", arguments: [] },
  ]);
  expect(offers.resources.map(({ definition: { version: _, ...definition } }) => definition)).toEqual([
    { kind: "file", uri: "docs://red", name: "docs://red", description: "Red.", mimeType: "image/png", size: PNG.length },
    { kind: "template", uri: "docs://{id}", name: "docs://{id}", mimeType: "text/x-review" },
  ]);
});

test("a fault of one prompt or resource sets only that one aside, and no tool", async () => {
  const workspace = await open(
    {
      prompts: [
        prompt("good", { file: "a.md" }),
        prompt("gone", { file: "gone.md" }),
        prompt("both", { file: "a.md", messages: [{ text: "x" }] }),
        prompt("neither", {}),
        prompt("GOOD", { file: "a.md" }),
        prompt("bytes", { file: "bytes.txt" }),
        { name: "no description" },
      ],
      resources: [
        resource("docs://good", "a.md"),
        resource("docs://good", "a.md"),
        resource("good", "a.md"),
        resource("docs://up", "../a.md"),
        resource("docs://env", ".env"),
        resource("docs://git", ".git/config"),
      ],
    },
    { "a.md": "A", "bytes.txt": Buffer.from([0xff, 0xfe, 0x00]), ".env": "KEY=1", ".git/config": "x" },
  );
  const { offers, problems, tools, state } = workspace.current();
  expect(state).toBe("ok");
  expect(tools.map(({ name }) => name)).toEqual(["a"]);
  expect(offers.prompts.map(({ definition }) => definition.name)).toEqual(["good"]);
  expect(offers.resources.map(({ definition }) => definition.uri)).toEqual(["docs://good"]);
  expect(problems.map(({ code, offer }) => `${code} ${offer}`)).toEqual([
    'INVALID_VALUE prompt "both"',
    'MISSING_KEY prompt "neither"',
    'DUPLICATE_NAME prompt "GOOD"',
    'INVALID_VALUE prompt "no description"',
    'MISSING_KEY prompt "no description"',
    'DUPLICATE_NAME resource "docs://good"',
    'INVALID_VALUE resource "good"',
    'PATH_OUTSIDE resource "docs://up"',
    'FILE_MISSING prompt "gone"',
    'FILE_UNREADABLE prompt "bytes"',
    'PATH_OUTSIDE resource "docs://env"',
    'PATH_OUTSIDE resource "docs://git"',
  ]);
});

test("a link to a hidden file, or out of the workspace, gives nothing of it", async () => {
  const outside = makeFolder({ "secret.txt": "outside" });
  const root = makeFolder({
    "tools.json": { tools: [], resources: [resource("docs://a", "a.txt"), resource("docs://b", "b.txt")] },
    ".env": "KEY=1",
  });
  symlinkSync(join(root, ".env"), join(root, "a.txt"));
  symlinkSync(join(outside, "secret.txt"), join(root, "b.txt"));
  const workspace = await openWorkspace(root, { watch: false });
  expect(workspace.current().offers.resources).toEqual([]);
  expect(codes(workspace.current().problems)).toEqual(["PATH_OUTSIDE tools.json:7:15", "PATH_OUTSIDE tools.json:12:15"]);
  // Put in place of a good file between two looks, it is not read either.
  expect(workspace.readOffered("a.txt", "text/plain")).toMatchObject({ kind: "bad" });
  expect(workspace.readOffered("b.txt", "text/plain")).toMatchObject({ kind: "bad" });
});

test("a place that no argument fills is told, in files and in texts of the entry; as a secret it would never be filled", async () => {
  const workspace = await open(
    { prompts: [prompt("p", { file: "p.md" }), prompt("q", { messages: [{ text: "{{topic}}" }] })] },
    { "p.md": "Ask\n  with {{API_KEY}}, {{ API_KEY }}" },
  );
  expect(workspace.current().problems.at(-1)?.place).toMatchObject({ kind: "position", file: "p.md", line: 2, column: 8 });
  expect(workspace.current().problems.map(({ code, severity, offer }) => [code, severity, offer])).toEqual([
    ["TEMPLATE_PLACE", "warning", 'prompt "q"'],
    ["TEMPLATE_PLACE", "warning", 'prompt "p"'],
  ]);
  expect(workspace.current().offers.prompts).toHaveLength(2);
});

test.each(["docs/a.md", "docs/a.log", "a.unknown"])(
  "an edit of the offered file %s is noticed without a call, in place and by renaming",
  async (file) => {
    const workspace = await open({ resources: [resource("docs://a", file)] }, { [file]: "one" }, true);
    await workspace.whenWatching();
    const version = (): string | undefined => workspace.current().offers.resources[0]?.definition.version;
    const first = version();
    putFiles(workspace.root, { [file]: "two" });
    await whenChanged(workspace, () => version() !== first, 1_000);
    const second = version();
    putFiles(workspace.root, { "next.tmp": "three" });
    renameSync(join(workspace.root, "next.tmp"), join(workspace.root, file));
    await whenChanged(workspace, () => version() !== second, 1_000);
    expect(workspace.readOffered(file, "text/plain")).toEqual({ kind: "text", text: "three" });
  },
);

test("lists that are none refuse the file, as a list of tools does", async () => {
  const workspace = await open({ prompts: {} });
  expect(workspace.current().state).toBe("empty");
  expect(codes(workspace.current().problems)).toEqual(["INVALID_VALUE tools.json:9:14"]);
});
