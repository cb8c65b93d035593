import { type ErrorCode, ToolError } from "../core/errors.ts";

/** A command was written wrongly, or a setting of the environment has a bad value: the program ends with exit code 2. */
export class UsageError extends ToolError {
  /** `message` says what was found and what to write instead. `code`: default INVALID_ARGUMENTS. */
  constructor(message: string, { cause, code = "INVALID_ARGUMENTS" }: { readonly cause?: unknown; readonly code?: ErrorCode } = {}) {
    super(code, message, { cause });
  }
}
