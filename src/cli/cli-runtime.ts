import { createLog, type Log, type LogLevel, silentLog } from "../core/log.ts";
import type { Caller } from "../core/tool.ts";
import { logRecords, type RecordSink } from "../engine/record.ts";
import { openRuntime, type Runtime } from "../engine/runtime.ts";
import { openUsageNotes } from "../secrets/usage-store.ts";
import { DEFAULT_AGENT } from "./agent-choice.ts";
import type { CliContext, WorkspaceOptions } from "./command.ts";
import { type SecretsDirOptions, secretsDirOf } from "./secrets-dir.ts";
import { readServerSettings } from "./server-settings.ts";
import { chooseWorkspace } from "./workspace-choice.ts";

/** A runtime over the workspace that a command chose. */
export interface CliRuntime extends Runtime {
  readonly root: string;
  /** Names of the agents in toolyard.json, as of now. */
  agents(): readonly string[];
  /** A caller that sees the whole workspace, for commands that look at it and call nothing. */
  lookingCaller(): Caller;
}

/**
 * How long the command lives. A server watches, logs, and has its sandbox ready before the first call. `onRecord` hears of
 * each call, beside the log.
 */
export type Lifetime =
  | { readonly kind: "once"; readonly onRecord?: RecordSink }
  | { readonly kind: "server"; readonly poll: boolean; readonly log: Log };

/** Opens the runtime for one command. Throws `UsageError` where no workspace is found. */
export async function openCliRuntime(
  context: CliContext,
  options: WorkspaceOptions & SecretsDirOptions,
  lifetime: Lifetime = { kind: "once" },
): Promise<CliRuntime> {
  const { config } = context;
  const root = chooseWorkspace(context, options);
  const { log, record }: Logging = lifetime.kind === "server" ? { log: lifetime.log } : logOnce(config.logLevel, lifetime.onRecord);
  const usage = openUsageNotes({ home: config.home, log });
  const shared = {
    ...{ root, home: config.home, key: config.key, log, secretUsed: usage.used, ...readServerSettings(config.home) },
    ...secretsDirOf(context, options),
  };
  const runtime = await openRuntime(
    lifetime.kind === "server"
      ? { ...shared, poll: lifetime.poll, warmUp: true }
      : { ...shared, poll: false, watch: false, warmUp: false, ...(record === undefined ? {} : { record }) },
  );
  const agents = (): readonly string[] => runtime.workspace.current().settings.agents;
  return {
    ...runtime,
    ...{ root, agents, lookingCaller: () => ({ agent: agents()[0] ?? DEFAULT_AGENT, origin: "cli" }) },
    async [Symbol.asyncDispose]() {
      await Promise.all([runtime[Symbol.asyncDispose](), usage[Symbol.asyncDispose]()]);
    },
  };
}

interface Logging {
  readonly log: Log;
  readonly record?: RecordSink;
}

/** A command that ends soon logs only if TOOLYARD_LOG says so. */
function logOnce(level: LogLevel | undefined, onRecord: RecordSink | undefined): Logging {
  const log = level === undefined ? silentLog : createLog(level);
  const toLog = logRecords(log);
  return {
    log,
    record: (record) => {
      toLog(record);
      onRecord?.(record);
    },
  };
}
