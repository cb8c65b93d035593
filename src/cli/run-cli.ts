import { Command, CommanderError } from "commander";
import type { CliContext, ExitCode } from "./command.ts";
import { withFlag, withGlobalFlag, workspaceFlag } from "./command-wording.ts";
import { helpCommand } from "./commands/help.ts";
import { commands } from "./commands/list-of-commands.ts";
import { type Environment, readConfig } from "./config.ts";
import { createOutput, type Output, type Streams } from "./io.ts";
import { UsageError } from "./usage-error.ts";

/** Everything a run of the program depends on. */
export interface CliInput {
  /** Without Node and the script. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  readonly streams: Streams;
  readonly version: string;
  readonly program: CliContext["program"];
}

/** Runs one command line and gives its exit code. Never throws for what a user can cause; prints it. */
export async function runCli(input: CliInput): Promise<ExitCode> {
  const { streams, cwd, version, program } = input;
  const isColourWanted = input.env.NO_COLOR === undefined || input.env.NO_COLOR === "";
  const output = createOutput(streams, isColourWanted);
  let exitCode: ExitCode = 0;
  let wording = (message: string): string => message;
  try {
    const config = readConfig(input.env);
    const finish = (code: ExitCode): void => {
      exitCode = code;
    };
    const root = rootCommand({ config, output, streams, cwd, version, program, childEnvironment: { ...input.env }, finish });
    root.hook("preAction", (_root, command) => {
      const options: { readonly workspace?: string; readonly global?: boolean } = command.opts();
      wording = (message) =>
        options.global === true ? withGlobalFlag(message) : withFlag(message, workspaceFlag({ config, cwd }, options));
    });
    await root.parseAsync([...input.argv], { from: "user" });
    return exitCode;
  } catch (error) {
    return failed(error, input.argv, { output, wording });
  }
}

function rootCommand(context: CliContext): Command {
  const { streams, version } = context;
  const root = new Command("toolyard")
    .description("An MCP server for the tools a team keeps in its own folder.")
    .version(version, "-V, --version", "the version of toolyard")
    .addHelpText("after", "\nExample:\n  toolyard init my-tools && toolyard run -w my-tools word-count text='Hello there.'")
    .showSuggestionAfterError(true);
  for (const make of commands) root.addCommand(make(context));
  // The library's own ends as if something had failed, and knows no command of a group.
  for (const parent of [root, ...root.commands.filter((command) => command.commands.length > 0)]) {
    parent.helpCommand(false).addCommand(helpCommand(parent, context));
  }
  for (const command of [root, ...root.commands, ...root.commands.flatMap((child) => child.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      // Help after a mistake belongs to stderr; the mistake itself is printed once, below, in our own form.
      writeErr: (text) => void streams.stderr.write(text),
      outputError: () => undefined,
    });
  }
  return root;
}

interface Saying {
  readonly output: Output;
  /** Makes the commands that a message suggests whole, as far as is known what was asked. */
  readonly wording: (message: string) => string;
}

function failed(error: unknown, argv: readonly string[], { output, wording }: Saying): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Help that was asked for by writing no subcommand has been shown already.
    if (error.code === "commander.help") return 2;
    output.error(usageError(error, argv), { asJson: isJsonWanted(argv) });
    return 2;
  }
  output.error(error, { asJson: isJsonWanted(argv), wording });
  return error instanceof UsageError ? 2 : 1;
}

function usageError(error: CommanderError, argv: readonly string[]): UsageError {
  const named = argv.slice(0, 2).filter((word) => /^[a-z]+$/.test(word));
  const isUnknown = error.code === "commander.unknownCommand";
  // Where keys are at hand, a word that was not expected may be one: it is not repeated.
  const isUnsaid = argv[0] === "secrets" && (isUnknown || error.code === "commander.unknownOption");
  const known = !isUnknown || isUnsaid ? named.slice(0, 1) : [];
  const message = error.message.replace(/^error: /, "").replace(/\n/g, " ");
  const text = isUnsaid ? message.replace(/ '[\s\S]*'/, "") : message;
  return new UsageError(`${text}\nSee: ${["toolyard", ...known, "--help"].join(" ")}`);
}

function isJsonWanted(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? argv.length : end).includes("--json");
}
