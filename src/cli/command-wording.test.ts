import { expect, test } from "vitest";
import { withFlag, withGlobalFlag, workspaceFlag } from "./command-wording.ts";
import { readConfig } from "./config.ts";

test("the flag is what was written after -w, else the whole path of TOOLYARD_WORKSPACE, else nothing", () => {
  const at = (workspace?: string) => ({
    cwd: "/home/me",
    config: readConfig({ HOME: "/home/me", TOOLYARD_WORKSPACE: workspace }, "linux"),
  });
  expect(workspaceFlag(at(), {})).toBe("");
  expect(workspaceFlag(at("tools"), {})).toBe(" -w /home/me/tools");
  expect(workspaceFlag(at("tools"), { workspace: "../other one" })).toBe(" -w '../other one'");
});

test("every command for a workspace gets the flag, and those that have one or need none stay", () => {
  const text = "Run toolyard check, then toolyard secrets set NAME --host HOST; toolyard trust -w x; toolyard init DIR; toolyard 0.1.0";
  expect(withFlag(text, " -w $&")).toBe(
    "Run toolyard check -w $&, then toolyard secrets set -w $& NAME --host HOST; toolyard trust -w x; toolyard init DIR; toolyard 0.1.0",
  );
  expect(withFlag(text, "")).toBe(text);
  expect(withGlobalFlag("toolyard secrets remove NAME; toolyard trust")).toBe("toolyard secrets remove --global NAME; toolyard trust");
  for (const command of ["set", "list", "allow", "deny", "rename", "remove", "import"]) {
    expect(withFlag(`toolyard secrets ${command} X`, " -w d")).toBe(`toolyard secrets ${command} -w d X`);
    expect(withGlobalFlag(`toolyard secrets ${command} X`)).toBe(`toolyard secrets ${command} --global X`);
  }
  // The key is that of the whole vault; a check is of one workspace.
  for (const change of [(text: string) => withFlag(text, " -w d"), withGlobalFlag])
    expect(change("toolyard secrets rekey --full")).toBe("toolyard secrets rekey --full");
  expect(withGlobalFlag("toolyard secrets check")).toBe("toolyard secrets check");
  expect(withFlag("toolyard secrets check", " -w d")).toBe("toolyard secrets check -w d");
});
