import type { ProgressToken } from "@modelcontextprotocol/server";
import type { Progress } from "../core/tool.ts";

/** Clients that were promised progress hear something at least this often, in milliseconds: several give up after 60 s of silence. */
const HEARTBEAT_MS = 15_000;

/** What one heartbeat adds: progress has to rise with every message, and no script counts this finely. */
const HEARTBEAT_STEP = 0.001;

/** The parameters of one `notifications/progress`. */
export interface ProgressNote {
  readonly progressToken: ProgressToken;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Sends the progress of one call, as long as it runs. */
export interface ProgressSender extends Disposable {
  /** Passes the script's progress on; what does not rise above the last value is dropped (MCP: the value MUST increase). */
  send(progress: Progress): void;
}

/** Starts a sender; make one only where the client gave a token. `heartbeatMs` is for tests. */
export function createProgressSender(
  progressToken: ProgressToken,
  notify: (note: ProgressNote) => void,
  { heartbeatMs = HEARTBEAT_MS }: { readonly heartbeatMs?: number } = {},
): ProgressSender {
  let last: Progress = { done: 0 };
  let hasSent = false;
  let isOver = false;
  const pass = (progress: Progress): void => {
    last = progress;
    hasSent = true;
    const { done, total, message } = progress;
    notify({ progressToken, progress: done, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) });
    timer.refresh();
  };
  const timer = setInterval(() => pass({ ...last, done: last.done + HEARTBEAT_STEP }), heartbeatMs).unref();
  return {
    send: (progress) => {
      if (isOver || !Number.isFinite(progress.done)) return;
      if (hasSent ? progress.done <= last.done : progress.done < 0) return;
      pass(progress);
    },
    [Symbol.dispose]: () => {
      isOver = true;
      clearInterval(timer);
    },
  };
}
