import { ToolError } from "../core/errors.ts";

/** A command was written wrongly, or a setting of the environment has a bad value: the program ends with exit code 2. */
export class UsageError extends ToolError {
  /** `message` says what was found and what to write instead. */
  constructor(message: string, { cause }: { readonly cause?: unknown } = {}) {
    super("INVALID_ARGUMENTS", message, { cause });
  }
}
