import { Command } from "commander";
import { nearestName } from "../../core/text.ts";
import type { CliContext } from "../command.ts";
import { UsageError } from "../usage-error.ts";

/** `toolyard help [COMMAND]`: what `--help` behind that command shows. `parent`: the program, or a command that holds others. */
export function helpCommand(parent: Command, { finish }: Pick<CliContext, "finish">): Command {
  return new Command("help")
    .summary("help for a command")
    .description("help for a command, as --help behind it gives it")
    .argument("[command...]", "such as: run, or: secrets set")
    .addHelpText("after", "\nExample:\n  toolyard help run")
    .action((words: readonly string[]) => {
      commandOf(parent, words).outputHelp();
      finish(0);
    });
}

/** The command that the words lead to; words behind one that holds no others are its arguments. Throws {@link UsageError} for one that is not there. */
function commandOf(parent: Command, words: readonly string[]): Command {
  const [word, ...rest] = words;
  if (word === undefined || parent.commands.length === 0) return parent;
  const found = parent.commands.find((command) => command.name() === word);
  if (found === undefined) throw new UsageError(unknownText(parent, word));
  return commandOf(found, rest);
}

function unknownText(parent: Command, word: string): string {
  const names = parent.commands.map((command) => command.name());
  const near = nearestName(word, names);
  if (near !== undefined) return `There is no command "${word}" here. Did you mean "${near}"?`;
  // What stands behind `secrets` may be a value that somebody meant to store; it is not repeated.
  const what = parent.name() === "secrets" ? "such command" : `command "${word}"`;
  return `There is no ${what} here. There are: ${names.join(", ")}.`;
}
