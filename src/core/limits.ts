/**
 * Every limit of the server, with unit, default and range. The only source: schema, checks and docs are made from it.
 * A workspace may lower each and raise those that have a `workspaceMax`, up to it.
 */

/** One limit. */
export interface Limit {
  readonly default: number;
  readonly min: number;
  /** Largest value a workspace may set; where it equals `default`, a workspace can only lower. */
  readonly workspaceMax: number;
  readonly unit: "ms" | "bytes" | "count" | "characters" | "MiB" | "levels";
  readonly about: string;
}

const KIB = 1024;
const MIB = 1024 * KIB;

function fixed(unit: Limit["unit"], value: number, about: string, min = 1): Limit {
  return { default: value, min, workspaceMax: value, unit, about };
}

/** The table. Names carry the unit. */
export const LIMITS = {
  callTimeoutMs: { default: 30_000, min: 1, workspaceMax: 300_000, unit: "ms", about: "Wall clock of one call, requests included." },
  memoryMb: { default: 64, min: 32, workspaceMax: 1_024, unit: "MiB", about: "Memory of one script." },
  concurrentCalls: fixed("count", 16, "Calls that run at once."),
  queuedCalls: fixed("count", 64, "Calls that wait for a free place; one more answers BUSY.", 0),
  queueWaitMs: fixed("ms", 10_000, "Longest wait for a free place; then BUSY."),
  argumentsBytes: fixed("bytes", MIB, "Arguments of one call, as JSON text."),
  scriptBytes: fixed("bytes", MIB, "Source text of one script."),
  bundleBytes: fixed("bytes", 4 * MIB, "A script together with all it imports."),
  schemaBytes: fixed("bytes", 256 * KIB, "One JSON Schema, as text."),
  schemaDepth: fixed("levels", 32, "Nesting of one JSON Schema."),
  requestBodyBytes: fixed("bytes", MIB, "Body of one request of a script."),
  responseBodyBytes: fixed("bytes", 5 * MIB, "Body of one answer, never over a quarter of the script's memory."),
  resultBytes: fixed("bytes", MIB, "Result of one call, as JSON text."),
  resultCharacters: {
    default: 60_000,
    min: 1_000,
    // The most that Claude Code takes of one tool (docs of its MCP settings, "anthropic/maxResultSizeChars").
    workspaceMax: 500_000,
    unit: "characters",
    about: "Text and structured content of a result together that go to the client; the rest can be paged.",
  },
  // As base64 it is 4 MiB, under the 5 MB that model services take of one image.
  mediaBytes: fixed("bytes", 3 * MIB, "Images, sounds and files of one result together, decoded."),
  keptResults: fixed("count", 100, "Results over `resultCharacters` kept of one agent; the oldest make room.", 0),
  keptResultsBytes: fixed("bytes", 32 * MIB, "The same, their size.", 0),
  resultKeptMs: fixed("ms", 3_600_000, "Time for which such a result is kept.", 1_000),
  requestsPerCall: fixed("count", 50, "Requests of one call.", 0),
  requestsAtOnce: fixed("count", 6, "Requests of one call under way at once."),
  redirects: fixed("count", 5, "Redirects followed for one request.", 0),
  questionsPerCall: fixed("count", 3, "Questions to people of one call.", 0),
  questionMs: fixed("ms", 300_000, "Time in which a person can answer a question; the time limit of the call stands still meanwhile."),
  questionsAtOnce: fixed("count", 8, "Questions of all calls that wait for an answer at once; one more answers BUSY.", 0),
  logBytes: fixed("bytes", 64 * KIB, "Log text kept of one call; the rest is cut with one line saying so.", 0),
  tools: fixed("count", 1_000, "Tools of one workspace."),
  prompts: fixed("count", 200, "Prompts of one workspace.", 0),
  resources: fixed("count", 1_000, "Resources of one workspace.", 0),
  httpBodyBytes: fixed("bytes", 4 * MIB, "Body of one HTTP request to the server."),
  httpRequestsPerSecond: fixed("count", 100, "HTTP requests a second of one token, over time; one more answers 429."),
  httpRequestBurst: fixed("count", 400, "HTTP requests of one token at once, before the rate counts."),
  httpCallsAtOnce: fixed("count", 64, "Calls of one token under way at once over HTTP; one more answers 429."),
  // With as many calls beside them, half of the server's 256 connections.
  httpStreamsAtOnce: fixed("count", 64, "Streams of one token that only listen, at once over HTTP; one more answers 429."),
  sessions: fixed("count", 100, "HTTP sessions at once; where all are open, one that nobody uses makes room."),
  sessionIdleMs: fixed("ms", 30 * 60_000, "Idle time after which an HTTP session ends."),
  keptIsolates: fixed("count", 32, "Isolates kept ready for the next call."),
  keptIsolatesMb: fixed("MiB", 512, "Memory limits of all kept isolates together."),
} as const satisfies Record<string, Limit>;

/** Name of a limit. */
export type LimitName = keyof typeof LIMITS;

/** Values in force. */
export type Limits = { readonly [name in LimitName]: number };

/** The default of every limit. */
export function defaultLimits(): Limits {
  const values = {} as Record<LimitName, number>; // filled below for every key of the table
  for (const name of limitNames()) values[name] = LIMITS[name].default;
  return Object.freeze(values);
}

/** All names, in the order of the table. */
export function limitNames(): readonly LimitName[] {
  // Object.keys gives string[]; the keys of a const object are exactly LimitName.
  return Object.keys(LIMITS) as LimitName[];
}
