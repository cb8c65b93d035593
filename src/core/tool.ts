/**
 * The tool seam. A ToolSource lists tools and each tool can be called; the workspace is one source, the meta tools
 * another. Engine, policy and lists know no third kind. A Tool object never changes: an edit makes a new one, so a
 * call in flight ends on the definition it began with.
 */
import type { ContentBlock } from "./content.ts";
import type { ErrorCode, ToolError } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Limits } from "./limits.ts";
import type { Problem } from "./problem.ts";
import type { Ask } from "./question.ts";

/** How a call came in; scripts see it as `g.run.origin`. */
export type Origin = "mcp" | "cli" | "job";

/** Who calls. `agent` is `"default"` in a workspace without agents. */
export interface Caller {
  readonly agent: string;
  readonly origin: Origin;
  /** One of the clients of the agent, where they are told apart: each has a list of its own. */
  readonly client?: string;
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
  /** The name in tools.json, where the workspace's prefix makes `name` another one. Calls by either reach the tool. */
  readonly plainName?: string;
  /** False: arguments are checked as they are, never read as what their text stands for. Default true. */
  readonly repair?: boolean;
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
  /** For whom: agents may have secrets of their own. Absent: for nobody in particular. */
  readonly agent?: string;
}

/** A line a script logged. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly text: string;
}

/** A line about a place in the script: line and column of each frame in its text, one after the other, the innermost first. */
export interface PlacedLine extends LogLine {
  readonly at?: readonly number[] | undefined;
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
  /** True if this caller can reach a tool by ExecuteWorkspaceTool, whatever its list. */
  readonly hasExecute: boolean;
  call(name: string, args: unknown): Promise<CallResult>;
  reload(): Promise<ReloadReport>;
  /** A page of a kept result of this caller, never more than fits into a result. Throws `ToolError` RESULT_NOT_FOUND. */
  readResult(id: string, range: PageRange): Promise<ResultPage>;
}

/** A part of a kept result, in UTF-16 units as JavaScript counts them. */
export interface PageRange {
  /** Default 0. */
  readonly offset?: number;
  /** Default: as much as fits. */
  readonly limit?: number;
}

/** A result that is kept because it was over its limit. */
export interface KeptResult {
  readonly id: string;
  /** The tool that gave it. */
  readonly tool: string;
  readonly mimeType: "application/json" | "text/plain";
  /** Length of the whole, in UTF-16 units. */
  readonly characters: number;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** A part of a kept result. It begins and ends between code points, so pages put together are the whole. */
export interface ResultPage extends KeptResult {
  readonly text: string;
  /** Where the text begins: what was asked for, or one unit before it where that was inside of a character. */
  readonly offset: number;
  /** Where the next page begins; absent on the last one. */
  readonly nextOffset?: number;
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
  /** Absent where there is nobody to ask. */
  readonly ask?: Ask;
  readonly services: CallServices;
}

/** Figures of a call for its record. */
export interface CallFigures {
  /** CPU time of the script itself, in milliseconds. */
  readonly cpuMs?: number;
  readonly requests?: number;
}

/** How a tool ended. `content` has blocks, beside a value or without one. `delegated` hands on the finished result of another call. */
export type ToolOutcome =
  | { readonly kind: "value"; readonly value: JsonValue; readonly figures?: CallFigures }
  | { readonly kind: "content"; readonly blocks: readonly ContentBlock[]; readonly value?: JsonValue; readonly figures?: CallFigures }
  | { readonly kind: "error"; readonly error: ToolError; readonly blocks?: readonly ContentBlock[]; readonly figures?: CallFigures }
  | { readonly kind: "delegated"; readonly result: CallResult };

/** A type of JSON Schema. */
export type JsonTypeName = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** An argument that was read as its schema means it. Types only: what it holds is nowhere kept. */
export interface ArgumentRepair {
  /** `where.column`, `items[3].price`. */
  readonly path: string;
  readonly from: JsonTypeName;
  readonly to: JsonTypeName;
}

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
  /** The name in tools.json, where `name` is another one. */
  readonly plainName?: string;
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

/** How two lists differ. Names of tools. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** What a reload changed. Names of tools. */
export interface ReloadReport extends ToolChanges {
  readonly generation: number;
  readonly broken: readonly string[];
  readonly problems: readonly Problem[];
  /** Why the workspace's own files cannot be read now; then nothing of an edit to them is in the lists above. */
  readonly unreadable?: Problem;
  /** What the list that this client has lacks, where it is not known to ask anew by itself; absent: nothing. */
  readonly unseen?: ToolChanges;
}

/**
 * A finished call, ready to be turned into an MCP result or printed. `text` is all that is text in it. `blocks` are what
 * a client gets in its place, where that is more than this one text; of an error, what it gets after the message.
 */
export type CallResult =
  | {
      readonly kind: "ok";
      readonly callId: string;
      readonly text: string;
      readonly value: JsonValue;
      readonly structured?: JsonValue;
      readonly blocks?: readonly ContentBlock[];
      /** Arguments that were read otherwise than written, the first 50; absent: none. */
      readonly repaired?: readonly ArgumentRepair[];
      /** Characters that were left out of the text, which was over its limit; absent: it is whole. */
      readonly leftOut?: number;
    }
  | {
      readonly kind: "error";
      readonly callId: string;
      readonly code: ErrorCode;
      readonly message: string;
      readonly data: JsonObject;
      readonly blocks?: readonly ContentBlock[];
      readonly repaired?: readonly ArgumentRepair[];
    };
