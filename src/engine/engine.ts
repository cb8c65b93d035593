/**
 * The engine: finds a tool, decides, checks, runs, shapes and records; the same line for MCP, command line and jobs.
 * It knows nothing of MCP, and nothing of where tools come from beyond ToolSource.
 */
import type { Log } from "../core/log.ts";
import type { Problem } from "../core/problem.ts";
import type { Caller, CallResult, ListedTool, LogLine, Progress, RefreshHint, ReloadReport, ToolSource } from "../core/tool.ts";
import type { PolicySettings } from "../policy/policy.ts";
import { callTool } from "./call.ts";
import { createCatalog } from "./catalog.ts";
import { logRecords, type RecordSink } from "./record.ts";
import { createReloader } from "./reload.ts";
import { createValidatorCache } from "./validators.ts";

/** One call, as a transport hands it over. */
export interface CallRequest {
  readonly name: string;
  /** As received; checked by the engine. `undefined` and `null` count as no arguments. */
  readonly args: unknown;
  readonly signal: AbortSignal;
  readonly onLog?: (line: LogLine) => void;
  readonly onProgress?: (progress: Progress) => void;
}

/** What transports, the command line and jobs use. */
export interface Engine {
  generation(): number;
  /** What this caller may see now; the next `reload` reports changes against it. */
  list(caller: Caller): readonly ListedTool[];
  /** What is wrong with the workspace, as far as this caller may know; without a caller all of it. */
  problems(caller?: Caller): readonly Problem[];
  /** Why the workspace's own files cannot be read now; what is listed and called is their last good set then. */
  unreadable(caller: Caller): Problem | undefined;
  /** Never throws and never rejects: every failure is a result of kind `"error"`. */
  call(caller: Caller, request: CallRequest): Promise<CallResult>;
  /** Makes sure the next `list` shows what the files say now. */
  refresh(hint: RefreshHint): Promise<void>;
  reload(caller: Caller): Promise<ReloadReport>;
  /** Calls back after each change of the list; the returned function ends that. */
  onChange(listener: () => void): () => void;
  /** Calls that run or wait now. */
  callsInFlight(): number;
}

/** What an engine is made of. */
export interface EngineParts {
  /** Earlier sources win a name. */
  readonly sources: readonly ToolSource[];
  readonly policy: () => PolicySettings;
  readonly log: Log;
  /** Default: one log line per call. */
  readonly record?: RecordSink;
}

/** Makes an engine. It owns nothing that must be closed; its sources are closed by whoever opened them. */
export function createEngine(parts: EngineParts): Engine {
  const catalog = createCatalog(parts.sources, parts.policy);
  const reloader = createReloader(catalog);
  let inFlight = 0;
  const line = {
    catalog,
    reload: reloader.reload,
    validators: createValidatorCache(),
    log: parts.log,
    record: parts.record ?? logRecords(parts.log),
  };
  return {
    generation: catalog.generation,
    list: (caller) => reloader.told(caller, catalog.list(caller)),
    problems: catalog.problems,
    unreadable: catalog.unreadable,
    call: async (caller, request) => {
      inFlight++;
      try {
        return await callTool(line, caller, request);
      } finally {
        inFlight--;
      }
    },
    refresh: catalog.refresh,
    reload: reloader.reload,
    onChange: catalog.onChange,
    callsInFlight: () => inFlight,
  };
}
