// The commands of `toolyard secrets` in this process, with text on stdin, in a workspace and a home folder of their own.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import type { CliAnswer } from "./cli.ts";
import { putFiles } from "./workspace-folder.ts";

/** A workspace at `cwd` and toolyard's folder at `home`, both removed at the end of the test. */
export interface SecretBench {
  readonly cwd: string;
  readonly home: string;
  write(files: Readonly<Record<string, unknown>>): void;
  /** Runs a command; `input` comes from stdin. */
  run(args: readonly string[], input?: string, env?: Readonly<Record<string, string>>): Promise<CliAnswer>;
}

/** `tools`: entries of tools.json; each has the script `a.js` unless it names another. */
export function secretBench(tools: readonly object[] = []): SecretBench {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "secrets-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [cwd, home] = [join(base, "tools"), join(base, "home")];
  mkdirSync(cwd);
  const entries = tools.map((tool) => ({ description: "Does it.", script: "a.js", ...tool }));
  putFiles(cwd, { "tools.json": { tools: entries }, "a.js": "async function main() {\n  return 1;\n}\n" });
  return {
    cwd,
    home,
    write: (files) => putFiles(cwd, files),
    async run(args, input = "", env = {}) {
      const [stdout, stderr] = [collector(), collector()];
      const code = await runCli({
        argv: args,
        env: { TOOLYARD_HOME: home, ...env },
        cwd,
        streams: { stdin: Readable.from(input === "" ? [] : [input]), stdout: stdout.stream, stderr: stderr.stream },
        version: "0.0.0",
        program: {
          parentPid: process.ppid,
          node: process.execPath,
          main: fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url)),
        },
      });
      return { code, stdout: stdout.text(), stderr: stderr.text() };
    },
  };
}

function collector(): { readonly stream: Writable; text(): string } {
  let text = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
}
