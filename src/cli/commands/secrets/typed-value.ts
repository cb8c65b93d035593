/** What commands that take a secret's value have in common: it is typed or comes from stdin, and never stands on the command line. */

import { homedir } from "node:os";
import path from "node:path";
import type { Command } from "commander";
import type { Secret } from "../../../core/secret.ts";
import { visible } from "../../../core/visible-text.ts";
import type { CliContext } from "../../command.ts";
import { UsageError } from "../../usage-error.ts";

/** A value that was written with `--value`, as people try. */
export interface WrittenValue {
  readonly value?: string | boolean;
}

/** Hosts, one option each: an option that takes many would take a value written after it for one more. */
export function withHosts(command: Command, about: string): Command {
  return command.option("--host <pattern>", about, oneMore);
}

/** For options that are given once for each value. */
export function oneMore(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const REFUSED = "refused: a value never stands on the command line";

/** Takes a value that is written where none may stand, so that it can be refused without being shown. */
export function withRefusedValue(command: Command): Command {
  const taken = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  // What is always refused is not offered by the help.
  command.usage(["[options]", ...taken].join(" "));
  command.configureHelp({
    visibleArguments: ({ registeredArguments }) => registeredArguments.filter(({ description }) => !["", REFUSED].includes(description)),
  });
  command.argument("[value...]", REFUSED);
  return command.addOption(command.createOption("--value [value]").hideHelp());
}

/** Throws {@link UsageError} for a value on the command line; `how` is the command without it. */
export function refuseWrittenValue(values: readonly string[], value: WrittenValue["value"], how: string): void {
  if (values.length === 0 && value === undefined) return;
  throw new UsageError(
    "A value never stands on the command line: other processes and the shell's history would have it. Replace that key if it is real.\n" +
      `Run it without the value and type it when asked, or send it to stdin: ${how} < file`,
  );
}

/** Throws {@link UsageError} for words behind a command that takes no value at all; `usage` is how it is written. */
export function refuseExtraWords(values: readonly string[], value: WrittenValue["value"], usage: string): void {
  if (value === undefined && values.length === 0) return;
  throw new UsageError(
    `There is more behind the command than it takes; it is not repeated here, since it may be a value. It is written: ${usage}\n` +
      "If that was a key, replace it: other processes and the shell's history have it.",
  );
}

/** The recovery key, for the person alone: on stderr, which no program reads for an answer. */
export function showRecoveryKey({ output }: CliContext, recoveryKey: Secret): void {
  output.note(`Recovery key: ${recoveryKey.reveal()}`);
  output.note("Write it down and keep it apart from this machine; it is not shown again.");
  output.note("With it the vault opens when its key is lost: toolyard secrets rekey --recover --to key-file");
}

/** Whose secret it is, in words. */
export function whoseText({ global }: { readonly global?: boolean }): string {
  return global === true ? "for all workspaces" : "for this workspace";
}

/** A path for people: the home folder as `~`. */
export function shortPath(file: string): string {
  const home = homedir();
  return visible(file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file);
}
