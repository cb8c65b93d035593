import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder, putFiles } from "../../test/support/workspace-folder.ts";
import { findWorkspace, type WorkspaceSearch } from "./find-workspace.ts";

/** A home with a workspace in `project`, a tools.json in the home itself, and folders in the project. */
function makeHome(): string {
  const home = makeFolder();
  putFiles(home, { "tools.json": "{}", "project/tools.json": "{}", "other/tools.json": "{}", "file.txt": "" });
  mkdirSync(join(home, "project/src/deep"), { recursive: true });
  mkdirSync(join(home, "empty"));
  return home;
}

function found(home: string, search: Omit<WorkspaceSearch, "home">): string {
  const choice = findWorkspace({ home, ...search });
  return choice.kind === "found" ? `${choice.by} ${choice.root.slice(home.length + 1)}` : "missing";
}

test("the flag wins over the environment, that over the nearest folder with a tools.json", () => {
  const home = makeHome();
  const cwd = join(home, "project/src/deep");
  expect([
    found(home, { flag: join(home, "empty"), env: join(home, "other"), cwd }),
    found(home, { env: join(home, "other"), cwd }),
    found(home, { env: "", cwd }),
    found(home, { cwd: join(home, "project") }),
    found(home, { flag: "../..", cwd }),
  ]).toEqual(["flag empty", "environment other", "nearest project", "nearest project", "flag project"]);
});

test("the home folder is never taken by itself, nor anything above it", () => {
  const home = makeHome();
  expect([found(home, { cwd: home }), found(home, { cwd: join(home, "empty") })]).toEqual(["missing", "missing"]);
  const inner = join(home, "project");
  expect(found(inner, { cwd: join(inner, "src") })).toBe("missing");
});

test("what is missing is told with the way out", () => {
  const home = makeHome();
  const message = (search: Omit<WorkspaceSearch, "home">): unknown => {
    const choice = findWorkspace({ home, ...search });
    return choice.kind === "missing" ? choice.message : choice;
  };
  expect(message({ cwd: join(home, "empty") })).toBe(
    `No workspace found: neither ${home}/empty nor a folder above it has a tools.json. Name one with -w DIR or TOOLYARD_WORKSPACE, or make one with: toolyard init`,
  );
  expect(message({ flag: "nothing", cwd: home })).toBe(`The workspace ${home}/nothing (from -w) is not there.`);
  expect(message({ env: "file.txt", cwd: home })).toBe(
    `The workspace ${home}/file.txt (from TOOLYARD_WORKSPACE) is not a folder; name the folder that holds tools.json.`,
  );
});
