/**
 * The engine: finds a tool, decides, checks, runs, shapes and records; the same line for MCP, command line and jobs.
 * It knows nothing of MCP, and nothing of where tools come from beyond ToolSource.
 */
import { ToolError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { NO_OFFERS, type OfferSource } from "../core/offers.ts";
import type { Problem } from "../core/problem.ts";
import type { Ask } from "../core/question.ts";
import type {
  Caller,
  CallResult,
  KeptResult,
  ListedTool,
  LogLine,
  PageRange,
  Progress,
  RefreshHint,
  ReloadReport,
  ResultPage,
  ToolDefinition,
  ToolSource,
} from "../core/tool.ts";
import type { PolicySettings } from "../policy/policy.ts";
import type { ReadHint } from "../results/hints.ts";
import { noSuchResult, type ResultStore } from "../results/result-store.ts";
import type { PublishedTool } from "../schema/publish-schema.ts";
import { callTool } from "./call.ts";
import { createCatalog } from "./catalog.ts";
import { createClientLists } from "./client-lists.ts";
import { logRecords, type RecordSink } from "./record.ts";
import { createReload } from "./reload.ts";
import { createValidatorCache } from "./validators.ts";

/** One call, as a transport hands it over. */
export interface CallRequest {
  readonly name: string;
  /** As received; checked by the engine. `undefined` and `null` count as no arguments. */
  readonly args: unknown;
  readonly signal: AbortSignal;
  readonly onLog?: (line: LogLine) => void;
  readonly onProgress?: (progress: Progress) => void;
  /** Asks a person through the client; absent where that cannot be. */
  readonly ask?: Ask;
  /** How this caller can read what is left out of a result. Default `"tool"`. */
  readonly readHint?: ReadHint;
  /** False where the caller cannot call ExecuteWorkspaceTool, so that no text advises it. Default true. */
  readonly hasExecute?: boolean;
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
  /** A text that differs when who may use the workspace does. */
  access(): string;
  /** Why this caller may use no tool at all, for a person to mend; undefined for one who may. */
  denial(caller: Caller): string | undefined;
  /** The schemas of a tool as clients get them; made once for each schema. */
  published(tool: Pick<ToolDefinition, "parameters" | "output">): PublishedTool;
  /** The same list, for looking something up: no report is made against it. Without a caller all, for notices that tell nothing of them. */
  look(caller?: Caller): readonly ListedTool[];
  /** Prompts and resources that this caller may see; without a caller all, for notices that tell nothing of them. */
  offers(caller?: Caller): OfferSource;
  /** Never throws and never rejects: every failure is a result of kind `"error"`. */
  call(caller: Caller, request: CallRequest): Promise<CallResult>;
  /** Makes sure the next `list` shows what the files say now. */
  refresh(hint: RefreshHint): Promise<void>;
  reload(caller: Caller): Promise<ReloadReport>;
  /** A part of a kept result of this caller, without `range` the whole. Throws `ToolError` RESULT_NOT_FOUND. */
  readResult(caller: Caller, id: string, range?: PageRange): Promise<ResultPage>;
  /** Kept results of this caller, newest first. */
  listResults(caller: Caller): Promise<readonly KeptResult[]>;
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
  /** Prompts and resources. Default: none. */
  readonly offers?: OfferSource;
  readonly log: Log;
  /** Default: one log line per call. */
  readonly record?: RecordSink;
  /** Keeps results that are over their limit; closed by whoever opened it. Absent: nothing is kept. */
  readonly results?: ResultStore;
  /** Longest result of an agent's calls, in UTF-16 units; undefined for agents without a limit of their own. */
  readonly agentCharacters?: (agent: string) => number | undefined;
}

/** Makes an engine. It owns nothing that must be closed; its sources are closed by whoever opened them. */
export function createEngine(parts: EngineParts): Engine {
  const catalog = createCatalog(parts.sources, parts.policy);
  const lists = createClientLists();
  const reload = createReload(catalog, lists);
  let inFlight = 0;
  const line = {
    catalog,
    lists,
    reload,
    validators: createValidatorCache(),
    log: parts.log,
    record: parts.record ?? logRecords(parts.log),
    results: parts.results,
    agentCharacters: parts.agentCharacters ?? (() => undefined),
  };
  return {
    generation: catalog.generation,
    list: (caller) => lists.told(caller, catalog.list(caller)),
    problems: catalog.problems,
    published: line.validators.published,
    look: catalog.list,
    offers: (caller) => {
      const isDenied = caller !== undefined && catalog.denial(caller) !== undefined;
      return isDenied ? NO_OFFERS : (parts.offers ?? NO_OFFERS);
    },
    unreadable: catalog.unreadable,
    access: () => JSON.stringify(parts.policy()),
    denial: catalog.denial,
    call: async (caller, request) => {
      inFlight++;
      try {
        return await callTool(line, caller, request);
      } finally {
        inFlight--;
      }
    },
    readResult: async (caller, id, range) => {
      if (parts.results === undefined) throw new ToolError("UNAVAILABLE", "This server keeps no results.");
      if (catalog.denial(caller) !== undefined) throw noSuchResult();
      return await parts.results.read(caller.agent, id, range);
    },
    listResults: async (caller) => (catalog.denial(caller) === undefined ? await parts.results?.list(caller.agent) : undefined) ?? [],
    refresh: catalog.refresh,
    reload,
    onChange: catalog.onChange,
    callsInFlight: () => inFlight,
  };
}
