import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeFolder, putFiles } from "../../test/support/workspace-folder.ts";
import { existingIdentity, workspaceIdentity } from "./workspace-identity.ts";

function codeOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}

function mode(path: string): number {
  return statSync(path).mode & 0o777;
}

test("a workspace gets a random id in a folder that only its owner may enter and git leaves alone", () => {
  const root = makeFolder();
  const identity = workspaceIdentity(root);
  expect(identity).toEqual({
    id: expect.stringMatching(/^[0-9a-v]{26}$/),
    kind: "file",
    realPath: realpathSync(root),
    dir: join(realpathSync(root), ".toolyard"),
  });
  expect([mode(join(root, ".toolyard")), mode(join(root, ".toolyard/id"))]).toEqual([0o700, 0o600]);
  expect(readFileSync(join(root, ".toolyard/.gitignore"), "utf8")).toBe("*\n");
  expect(readdirSync(join(root, ".toolyard")).sort()).toEqual([".gitignore", "id"]);
  expect(workspaceIdentity(root)).toEqual(identity);
  expect(workspaceIdentity(makeFolder()).id).not.toBe(identity.id);
});

test("the id moves with the folder and is copied with it; the real path is not", () => {
  const root = makeFolder();
  const { id } = workspaceIdentity(root);
  renameSync(root, `${root}-moved`);
  mkdirSync(root);
  const moved = workspaceIdentity(`${root}-moved`);
  expect([moved.id, moved.realPath]).toEqual([id, `${realpathSync(root)}-moved`]);
  renameSync(`${root}-moved`, join(root, "inner"));
});

test("asking for an identity that was never made writes nothing", () => {
  const root = makeFolder();
  expect(existingIdentity(root)).toBeUndefined();
  expect(readdirSync(root)).toEqual([]);
});

test("a folder that came with a clone is closed to others, and its id stays", () => {
  const root = makeFolder({ ".toolyard/logs/x": "" });
  chmodSync(join(root, ".toolyard"), 0o755);
  workspaceIdentity(root);
  expect(mode(join(root, ".toolyard"))).toBe(0o700);
});

test.skipIf(process.platform === "win32")(
  "in a workspace whose private folder is another user's own, the folder itself stands for it",
  () => {
    const root = makeFolder({ "tools.json": "{}" });
    chmodSync(root, 0o755);
    const own = workspaceIdentity(root);
    const seen = seenFromOutside(root);
    expect(seen).toEqual({
      known: { id: expect.stringMatching(/^inode-\d+-\d+$/), kind: "inode", realPath: realpathSync(root) },
      made: seen.known,
      signature: expect.stringMatching(/ closed$/),
    });
    // Its owner has it as before.
    expect(workspaceIdentity(root)).toEqual(own);
  },
);

/** What a process finds that may not enter `.toolyard`: one of another user where this is root, who may enter everywhere. */
function seenFromOutside(root: string): Readonly<Record<string, unknown>> {
  const module = JSON.stringify(fileURLToPath(new URL("./workspace-identity.ts", import.meta.url)));
  const script = `
    const { existingIdentity, workspaceIdentity, identitySignature } = await import(${module});
    // After the import, since the sources may lie where only root can read.
    if (process.geteuid() === 0) { process.setgid(65534); process.setuid(65534); }
    const root = ${JSON.stringify(root)};
    console.log(JSON.stringify({ known: existingIdentity(root), made: workspaceIdentity(root), signature: identitySignature(root) }));`;
  if (process.geteuid?.() !== 0) chmodSync(join(root, ".toolyard"), 0);
  try {
    return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" }));
  } finally {
    chmodSync(join(root, ".toolyard"), 0o700);
  }
}

test("a link in place of the folder is refused and nothing is written where it points", () => {
  const elsewhere = makeFolder();
  const root = makeFolder();
  symlinkSync(elsewhere, join(root, ".toolyard"));
  // Making the folder with what is there already counted as done would follow the link.
  mkdirSync(join(root, ".toolyard/x"), { recursive: true });
  expect(existsSync(join(elsewhere, "x"))).toBe(true);
  expect(codeOf(() => workspaceIdentity(root))).toBe("STORE_ERROR");
  expect(codeOf(() => existingIdentity(root))).toBe("STORE_ERROR");
  expect(readdirSync(elsewhere)).toEqual(["x"]);
});

test("a link in place of the id is refused, and the file it points to is not read", () => {
  const elsewhere = makeFolder({ id: "0".repeat(26) });
  const root = makeFolder();
  mkdirSync(join(root, ".toolyard"));
  symlinkSync(join(elsewhere, "id"), join(root, ".toolyard/id"));
  expect(codeOf(() => workspaceIdentity(root))).toBe("STORE_ERROR");
});

test.each(["", "not an id", "../../x", "0".repeat(27)])("an id file that holds %j is refused", (text) => {
  const root = makeFolder();
  putFiles(root, { ".toolyard/id": text });
  expect(codeOf(() => workspaceIdentity(root))).toBe("STORE_ERROR");
});

test.skipIf(process.getuid?.() === 0)("a folder that cannot be written is known by device and inode", () => {
  const root = makeFolder();
  chmodSync(root, 0o500);
  const { dev, ino } = statSync(root);
  expect(workspaceIdentity(root)).toEqual({ id: `inode-${dev}-${ino}`, kind: "inode", realPath: realpathSync(root) });
  chmodSync(root, 0o700);
});
