/**
 * The tool seam. A ToolSource lists tools and each tool can be called; the workspace is one source, the meta tools
 * another. Engine, policy and lists know no third kind. A Tool object never changes: an edit makes a new one, so a
 * call in flight ends on the definition it began with.
 */
import type { ErrorCode, ToolError } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Limits } from "./limits.ts";
import type { Problem } from "./problem.ts";

/** How a call came in; scripts see it as `g.run.origin`. */
export type Origin = "mcp" | "cli" | "job";

/** Who calls. `agent` is `"default"` in a workspace without agents. */
export interface Caller {
  readonly agent: string;
  readonly origin: Origin;
}

/** Hints to clients, as in the MCP specification (tools, annotations). */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What a tool is, to everyone who lists it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of the arguments; its root describes an object. */
  readonly parameters: JsonObject;
  /** JSON Schema of the result. */
  readonly output?: JsonObject;
  readonly annotations?: ToolAnnotations;
  /** Wall clock of one call, in milliseconds. */
  readonly timeoutMs: number;
  /** Hosts to show to people: what the tool may reach, as written. */
  readonly hosts?: readonly string[];
  /** Differs when anything about the tool does, its code included. */
  readonly version?: string;
  /** Limits of this tool where they are not the server's. */
  readonly limits?: Pick<Limits, "argumentsBytes" | "resultCharacters">;
}

/** Whether a listed tool can do its work now. */
export type ToolStatus =
  | { readonly kind: "ready" }
  | { readonly kind: "needs-secret"; readonly missing: readonly string[] }
  | { readonly kind: "limited"; readonly reason: string }
  | { readonly kind: "broken"; readonly problem: Problem };

/** One listing of tools: stands for the moment, so that what all of them ask about is read once. */
export interface Listing {
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
}

/** A line a script logged. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly text: string;
}

/** How far a call is, as the script says. */
export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a tool in code may do with the server; already narrowed to what the caller may see. */
export interface CallServices {
  list(): readonly ListedTool[];
  generation(): number;
  problems(): readonly Problem[];
  /** Why the workspace's own files cannot be read now; undefined if they can. */
  unreadable(): Problem | undefined;
  /** True if the name is one of the server's own tools. */
  isMeta(name: string): boolean;
  call(name: string, args: unknown): Promise<CallResult>;
  reload(): Promise<ReloadReport>;
}

/** Everything a tool gets beside its arguments. Dead once the call has ended. */
export interface CallContext {
  readonly callId: string;
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  /** Aborted when the caller cancels or the server stops. */
  readonly signal: AbortSignal;
  readonly log: (line: LogLine) => void;
  readonly progress: (progress: Progress) => void;
  readonly services: CallServices;
}

/** Figures of a call for its record. */
export interface CallFigures {
  /** CPU time of the script itself, in milliseconds. */
  readonly cpuMs?: number;
  readonly requests?: number;
}

/** How a tool ended. `delegated` hands on the finished result of another call. */
export type ToolOutcome =
  | { readonly kind: "value"; readonly value: JsonValue; readonly figures?: CallFigures }
  | { readonly kind: "error"; readonly error: ToolError; readonly figures?: CallFigures }
  | { readonly kind: "delegated"; readonly result: CallResult };

/** A tool as of one generation of its source. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** Asked at each listing, because secrets and trust change without a new generation. */
  status(listing: Listing): ToolStatus;
  /** Accepts other spellings of the arguments before they are checked; absent: none. Must not throw. */
  repair?(args: JsonObject): JsonObject;
  call(context: CallContext, args: JsonObject): Promise<ToolOutcome>;
}

/** An entry that was set aside. */
export interface BrokenTool {
  readonly name: string;
  readonly description: string;
  readonly problem: Problem;
  /** Milliseconds since 1970 of the moment its last working version was replaced; absent if there never was one. */
  readonly replacedAtMs?: number;
}

/** All a source offers at one moment; never changed in place. */
export interface ToolSet {
  /** Rises with every change. */
  readonly generation: number;
  readonly tools: readonly Tool[];
  readonly broken: readonly BrokenTool[];
  readonly problems: readonly Problem[];
  /** Why the source's own files cannot be read now; what is in `tools` is the last good set then, or nothing. */
  readonly unreadable?: Problem;
}

/** Where tools come from. `meta` tools are the server's own and are not listed by GetWorkspaceTools. */
export interface ToolSource {
  readonly name: string;
  readonly role: "tools" | "meta";
  current(): ToolSet;
  /** Settles once `current()` is what the source's files say now, or at least as new as when it was called. */
  refresh(hint: RefreshHint): Promise<void>;
  /** Calls back after each change of `current()`; the returned function ends that. */
  onChange(listener: () => void): () => void;
}

/** `tool`: a call of that name is about to be made, cheap; `all`: everything is read again. */
export type RefreshHint = { readonly kind: "tool"; readonly name: string } | { readonly kind: "list" } | { readonly kind: "all" };

/** A row of the list of tools. `meta` tools are the server's own. */
export interface ListedTool extends ToolDefinition {
  readonly status: ToolStatus;
  readonly role: ToolSource["role"];
}

/** What a reload changed. Names of tools. */
export interface ReloadReport {
  readonly generation: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly broken: readonly string[];
  readonly problems: readonly Problem[];
  /** Why the workspace's own files cannot be read now; then nothing of an edit to them is in the lists above. */
  readonly unreadable?: Problem;
}

/** A finished call, ready to be turned into an MCP result or printed. */
export type CallResult =
  | {
      readonly kind: "ok";
      readonly callId: string;
      readonly text: string;
      readonly value: JsonValue;
      readonly structured?: JsonValue;
      /** Characters that were left out of the text, which was over its limit; absent: it is whole. */
      readonly leftOut?: number;
    }
  | { readonly kind: "error"; readonly callId: string; readonly code: ErrorCode; readonly message: string; readonly data: JsonObject };
