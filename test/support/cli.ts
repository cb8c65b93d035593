// The command line in the process of the test: quicker than one of its own, for what needs no signal and no terminal.
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { runCli } from "../../src/cli/run-cli.ts";

/** How a command ended, and what it wrote. */
export interface CliAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands in the folder `cwd` with toolyard's own folder at `home` and nothing else in their environment but `env`. */
export function cliIn(cwd: string, home: string): (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<CliAnswer> {
  return async (args, env = {}) => {
    const [stdout, stderr] = [collector(), collector()];
    const code = await runCli({
      argv: args,
      env: { TOOLYARD_HOME: home, ...env },
      cwd,
      streams: { stdin: Readable.from([]), stdout: stdout.stream, stderr: stderr.stream },
      version: "0.0.0",
      program: {
        parentPid: process.ppid,
        node: process.execPath,
        main: fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url)),
      },
    });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
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
