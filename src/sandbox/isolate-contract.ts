/**
 * What an isolate is given and gives, without the library: types for both sides of the process border, and the errors
 * that `Isolate` throws.
 */

/** Texts a realm is made of, evaluated inside the isolate; `readRealmSources` reads them. */
export interface RealmSources {
  /** The ses library; unused where the realm is not hardened. */
  readonly ses: string;
  /** An expression for the function that hardens a realm and tells what is still open. */
  readonly harden: string;
  /** An expression for the functions of the border inside the isolate. */
  readonly prelude: string;
  /** Guest sides of the capabilities: an expression for a function of the call's bridge each (guest/bridge.d.ts). */
  readonly capabilities: readonly { readonly name: string; readonly guest: string }[];
  /** Body of a function that gives modules for host names in other scripts than Latin; handed in when a URL has one. */
  readonly hostNames: string;
  /** Scripts that run before everything else and are hardened with the rest. */
  readonly shims?: readonly string[];
}

/** Limits kept inside the isolate; bytes are of UTF-8. */
export interface GuestCaps {
  readonly argumentsBytes: number;
  readonly resultBytes: number;
  /** Images, sounds and files of one result, decoded; as base64 they may come on top of `resultBytes`. */
  readonly mediaBytes: number;
  readonly requestBodyBytes: number;
  readonly responseBodyBytes: number;
  readonly logBytes: number;
  readonly hostCallsPerCall: number;
  /** Longest message of an error or failure, in UTF-16 units. */
  readonly messageCharacters: number;
}

/** Bytes that so many bytes take as base64 with padding. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** A script: the text of a function body. */
export interface IsolateScript {
  readonly source: string;
  /** Shown in stacks, such as "scripts/a.js". */
  readonly file: string;
  /** The function the body defines, such as "main"; it is called with the arguments. */
  readonly entry: string;
}

/** What comes out of a call; all are called on this process's event loop. */
export interface IsolateEvents {
  /** `method` such as "http.makeHttpRequest"; to be answered by `deliver`. */
  onHostCall(sequence: number, method: string, paramsJson: string): void;
  /** "log.write" {level, text} or "run.progress" {done, total?, message?}. */
  onNotice(name: string, paramsJson: string): void;
  /**
   * At most once per call, and before `run` settles: {"kind":"value","json"}, {"kind":"content","json"} with the JSON of
   * {blocks, value?}, {"kind":"failed","message","json"?} with the JSON of {blocks}, or
   * {"kind":"error","name","message","code"?,"file"?,"line"?,"column"?,"frames"?}. `code` is there only for errors of the border
   * itself, which a script cannot forge; `name` is "" for a thrown thing that is no error; `frames` are line and column of each
   * frame in the file, the innermost first, one after the other, where there is more than one.
   */
  onDone(outcomeJson: string): void;
}

/** Where a realm's calls go; made before the Isolate that listens to it. */
export interface HostPort {
  listener: HostFunctions | undefined;
}

/** What comes out of a realm, in the order `connect` of guest/prelude.js takes them. */
export interface HostFunctions {
  readonly call: (sequence: number, method: string, paramsJson: string) => void;
  readonly notice: (name: string, paramsJson: string) => void;
  readonly done: (outcomeJson: string) => void;
  readonly timer: (timerId: number, delayMs: number) => void;
}

/** Sizes and texts of a new isolate. */
export interface IsolateOptions {
  /** Heap and buffers, in MiB. The library holds it for most allocations, not for all: watch the process too. */
  readonly memoryMb: number;
  /** Hardened realms serve many calls; others serve one. */
  readonly hardened: boolean;
  readonly sources: RealmSources;
  readonly caps: GuestCaps;
  /** V8 lost control of the isolate. Default: this process ends by SIGKILL, since a handler that exits hangs. */
  readonly onCatastrophe?: (message: string) => void;
}

/** Whether a script can be called; positions count from 1. */
export type LoadResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly line?: number; readonly column?: number };

/** Why an isolate must be dropped. */
export type DropReason = "timeout" | "memory" | "disposed" | "border";

/** Thrown by `Isolate.run`; the message begins with the reason. Not a ToolError: this process loads nothing of core. */
export class IsolateDropped extends Error {
  override readonly name = "IsolateDropped";
  readonly reason: DropReason;

  constructor(reason: DropReason, detail: string, options?: ErrorOptions) {
    super(`${reason}: ${detail}`, options);
    this.reason = reason;
  }
}

/** The reason behind what the library rejected with. It knows no codes, only these messages. */
export function dropped(error: unknown): IsolateDropped {
  if (error instanceof IsolateDropped) return error;
  const message = error instanceof Error ? error.message : String(error);
  const options = { cause: error };
  if (message === "Script execution timed out.") return new IsolateDropped("timeout", "the script computed past the time limit", options);
  if (/memory limit|allocation failed/.test(message)) return new IsolateDropped("memory", "the script used more than its limit", options);
  if (/disposed|abandoned/.test(message)) return new IsolateDropped("disposed", "the isolate was ended", options);
  return new IsolateDropped("border", "the isolate failed outside of the script", options);
}

/** The parser's message of a script that does not compile, without the position it ends with: "… [scripts/a.js:2:11]". */
export function syntaxError(error: unknown, file: string): LoadResult {
  const text = error instanceof Error ? error.message : String(error);
  const position = / \[(.*):(\d+):(\d+)\]$/s.exec(text);
  if (position === null || position[1] !== file) return { ok: false, message: text };
  return { ok: false, message: text.slice(0, position.index), line: Number(position[2]), column: Number(position[3]) };
}
