import { Command } from "commander";
import type { Config, Environment } from "./config.ts";
import type { Output, Streams } from "./io.ts";

/** 0: done; 1: it failed; 2: the command was written wrongly, or cannot run here; 130: a person ended it with Ctrl-C, as shells count it. */
export type ExitCode = 0 | 1 | 2 | 130;

/** What every command gets. */
export interface CliContext {
  readonly config: Config;
  readonly output: Output;
  readonly streams: Streams;
  readonly cwd: string;
  readonly version: string;
  /** How this program was started: by which process, and the absolute paths of Node and of main, for texts to paste. */
  readonly program: { readonly parentPid: number; readonly node: string; readonly main: string };
  /** The environment for programs this one starts; without the passphrase. */
  readonly childEnvironment: Readonly<Environment>;
  /** Called by a command's action with its exit code. */
  readonly finish: (code: ExitCode) => void;
}

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: boolean;
}

/** Options of commands that work on a workspace. */
export interface WorkspaceOptions extends CommonOptions {
  readonly workspace?: string;
}

/** A command with help text, an example, and `--json`. */
export function newCommand(name: string, about: { readonly summary: string; readonly example: string; readonly json?: string }): Command {
  return new Command(name)
    .summary(about.summary)
    .description(about.summary)
    .option("--json", about.json ?? "write the answer as JSON")
    .addHelpText("after", exampleText(about.example));
}

/** A command that only holds others. It has no options: commander would take those of its subcommands for its own. */
export function newGroup(name: string, about: { readonly summary: string; readonly example: string }): Command {
  return new Command(name).summary(about.summary).description(about.summary).addHelpText("after", exampleText(about.example));
}

/** Adds `-w`. */
export function withWorkspace(command: Command): Command {
  return command.option(
    "-w, --workspace <dir>",
    "the workspace (default: TOOLYARD_WORKSPACE, else the nearest folder upwards with a tools.json)",
  );
}

/** Gives a command its work: `work` returns the exit code. */
export function withAction<Args extends readonly unknown[]>(
  command: Command,
  context: CliContext,
  work: (...args: Args) => Promise<ExitCode>,
): Command {
  // commander hands over the declared arguments, then the options, then the command; `Args` names those that are used.
  return command.action(async (...args) => context.finish(await work(...(args as unknown as Args))));
}

function exampleText(example: string): string {
  return `\nExample:\n${example.replace(/^/gm, "  ")}`;
}
