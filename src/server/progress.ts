import type { ProgressToken } from "@modelcontextprotocol/server";
import type { Progress } from "../core/tool.ts";

/** Clients that were promised progress hear something at least this often, in milliseconds: several give up after 60 s of silence. */
const HEARTBEAT_MS = 15_000;

/** Heartbeats that add 1 together: progress has to rise with every message, and no script counts this finely. */
const BEATS_PER_STEP = 1_000;

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
  let beatsSince = 0;
  let sent: number | undefined;
  let isOver = false;
  const note = (done: number): void => {
    const { total, message } = last;
    sent = done;
    // Beats after the last step would say more than all of it.
    const whole = total === undefined || done > total ? {} : { total };
    notify({ progressToken, progress: done, ...whole, ...(message === undefined ? {} : { message }) });
  };
  const beat = (): void => {
    beatsSince++;
    const done = Math.max(last.done + beatsSince / BEATS_PER_STEP, nextAbove(sent ?? 0));
    if (Number.isFinite(done)) note(done);
  };
  const timer = setInterval(beat, heartbeatMs).unref();
  return {
    send: (progress) => {
      if (isOver || !Number.isFinite(progress.done)) return;
      if (sent === undefined ? progress.done < 0 : progress.done <= sent) return;
      last = progress;
      beatsSince = 0;
      note(progress.done);
      timer.refresh();
    },
    [Symbol.dispose]: () => {
      isOver = true;
      clearInterval(timer);
    },
  };
}

/** The least number that is surely above: of a script that counts bytes, a small step may vanish in the number's rounding. */
function nextAbove(value: number): number {
  return value + Math.max(value * Number.EPSILON, Number.MIN_VALUE);
}
