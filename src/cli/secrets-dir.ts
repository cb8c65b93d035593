import path from "node:path";
import type { Command } from "commander";
import type { CliContext } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** Options of commands that call tools. */
export interface SecretsDirOptions {
  readonly secretsDir?: string;
}

/** Adds `--secrets-dir`. */
export function withSecretsDir(command: Command): Command {
  return command.option(
    "--secrets-dir <dir>",
    "take values from a folder with one file per secret, such as /run/secrets; where each may go is said by secrets set",
  );
}

/** The folder as a whole path, for the runtime. Throws {@link UsageError} for an empty one, as of a variable that is not set. */
export function secretsDirOf({ cwd }: Pick<CliContext, "cwd">, { secretsDir }: SecretsDirOptions): SecretsDirOptions {
  if (secretsDir === undefined) return {};
  if (secretsDir === "") throw new UsageError("--secrets-dir is empty. Name a folder with one file per secret, or leave it out.");
  return { secretsDir: path.resolve(cwd, secretsDir) };
}
