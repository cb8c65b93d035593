import type { CallFacts } from "../core/capability.ts";
import type { ToolError } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type { Isolation } from "./border.ts";

/** Where a script failed, in the files its author wrote; line and column count from 1. */
export interface FailurePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The place in a package where the error was made, which the file called. */
  readonly thrownIn?: { readonly file: string; readonly line: number; readonly column: number };
  /** The line with the one before and the one after it, as text to show; absent where they are not known. */
  readonly excerpt?: string;
  /** What to change, where the reason is known. */
  readonly hint?: string;
}

/** A position in a script's `source`; line and column count from 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** A script as a call needs it. `key` names exactly this text: another text has another key. */
export interface SandboxScript {
  readonly key: string;
  readonly source: string;
  /** Shown in stacks and messages, such as `scripts/a.js`. */
  readonly file: string;
  /** Function that is called, `main`. */
  readonly entry: string;
  readonly isolation: Isolation;
  /** Memory of the isolate, in MiB. */
  readonly memoryMb: number;
  /**
   * Where in the author's files an error is of which these are the frames in `source`, the innermost first; `message` is its
   * text. Undefined if that is not known. Absent: positions of `source` are those of `file`.
   */
  readonly locate?: (frames: readonly SourcePosition[], message: string) => FailurePlace | undefined;
}

/** The clock of a call: it can stand still while the script waits for a person. */
export interface CallClock {
  /** From now until `resume` the time limit does not run down. What the script computes meanwhile is still bounded by it. */
  pause(): void;
  resume(): void;
}

/** One call, with what the caller wants to know of it. None of the functions may throw but `onHostCall`. */
export interface SandboxCall {
  /** Random and never used before; at most 128 characters. */
  readonly callId: string;
  readonly agent: string;
  readonly tool: string;
  readonly script: SandboxScript;
  readonly facts: CallFacts;
  /** Wall clock from the start of the script to its answer, host calls included. */
  readonly timeoutMs: number;
  /** Where the limit is set, for the message: `"timeout" in tools.json; at most 300`. */
  readonly timeoutHint: string;
  /** Aborted: the call ends with CANCELLED. */
  readonly signal: AbortSignal;
  /** The clock has started: the call left the queue. */
  onStart(remainingMs: () => number, clock: CallClock): void;
  /** A `g.*` call of the script. Throws `ToolError`; the signal is aborted at the end of the call. */
  onHostCall(method: string, params: JsonValue, signal: AbortSignal): Promise<JsonValue>;
  onNotice(name: string, params: JsonValue): void;
}

/**
 * How a call ended. `cpuMs` is the script's own CPU time, 0 where the host could not tell it any more; `jsonBytes` is the
 * size of the value as the JSON text that crossed the border, in bytes of UTF-8. `blocks` are content blocks as the script
 * gave them, unchecked; bytes among them are `{base64}`.
 */
export type SandboxResult =
  | { readonly kind: "value"; readonly value: JsonValue; readonly jsonBytes: number; readonly cpuMs: number }
  | { readonly kind: "content"; readonly blocks: readonly JsonValue[]; readonly value?: JsonValue; readonly cpuMs: number }
  | { readonly kind: "error"; readonly error: ToolError; readonly blocks?: readonly JsonValue[]; readonly cpuMs: number };
