import { expect, test } from "vitest";
import { recorder } from "../../test/security/egress-support.ts";
import { makeHome, openTestRuntime, storeSecret } from "../../test/support/runtime.ts";
import { entry, makeFolder } from "../../test/support/workspace-folder.ts";

const FILES = {
  "scripts/lost.ts":
    'import { save } from "../lib/save.ts";\ninterface A { n: number }\nexport default (args: A): string => {\n  void save(args);\n  return "done";\n};\n',
  "lib/save.ts":
    'type B = unknown;\n\nexport async function save(what: B): Promise<void> {\n  await g.http.makeHttpRequest("http://127.0.0.1:1/", { body: what });\n}\n',
  "scripts/stack.ts":
    'import { fail } from "../lib/fail.ts";\ninterface A { n: number }\nexport default function run(args: A): void {\n  try {\n    fail(args);\n  } catch (error) {\n    console.error(error.stack);\n  }\n}\n',
  "lib/fail.ts":
    "type B = unknown;\n\nexport function fail(what: B): never {\n  throw new Error('no (scripts/stack.ts:1:1) ' + typeof what);\n}\n",
  "scripts/cause.js":
    "async function main({ at, given }) {\n  await fetch(at); const e = new Error('outer', { cause: new Error(given) });\n  console.warn(e);\n  throw e;\n}\n",
};

test("what is lost at the end of a call, what stands behind an error, and a stack in the log is told in the author's files and with secrets masked", async () => {
  const value = "key-that-nobody-sees-0123456789";
  const root = makeFolder({
    "tools.json": {
      tools: [
        entry("lost", { script: "scripts/lost.ts" }),
        entry("stack", { script: "scripts/stack.ts" }),
        entry("cause", { script: "scripts/cause.js", headers: { "X-Key": "{{API_KEY}}" } }),
      ],
    },
    ...FILES,
  });
  const home = makeHome();
  const api = await recorder(() => ({ status: 200 }));
  const at = `http://127.0.0.1:${api.port}`;
  await storeSecret({ root, home }, "API_KEY", value, { hosts: [at] });
  await using runtime = await openTestRuntime(root, home);
  expect(await runtime.run("lost")).toMatchObject({ kind: "ok", value: "done" });
  const result = await runtime.run("cause", { at, given: `it was ${value}` });
  expect(result).toMatchObject({
    kind: "error",
    message: 'Tool "cause" failed at scripts/cause.js:2:30: Error: outer [cause: Error: it was [redacted]]',
  });
  expect(runtime.lines).toEqual([
    {
      level: "warn",
      text: 'g.http.makeHttpRequest was under way when the call ended, and is broken off: its answer or error is lost. Is an "await" missing? (lib/save.ts:4:16)',
    },
    { level: "warn", text: "Error: outer [cause: Error: it was [redacted]]" },
  ]);
  runtime.lines.length = 0;
  await runtime.run("stack", { n: 1 });
  expect(runtime.lines[0]?.text.split("\n").slice(0, 3)).toEqual([
    "Error: no (scripts/stack.ts:1:1) object",
    "  at fail (lib/fail.ts:4:9)",
    "  at run (scripts/stack.ts:5:5)",
  ]);
});
