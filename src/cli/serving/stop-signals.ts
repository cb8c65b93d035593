/** Signals that ask the program to end. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** A wish to end. */
export interface StopSignals extends Disposable {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
}

/**
 * Signals this close together are one wish, in milliseconds: at Ctrl-C the terminal signals every process, and npm or npx
 * pass the same signal on.
 */
const SAME_WISH_MS = 300;

/** Listens for signals: the first aborts `signal`, a later one ends the process at once with code 1. */
export function listenForStop(): StopSignals {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = (): void => {
    if (!controller.signal.aborted) firstAt = performance.now();
    else if (performance.now() - firstAt > SAME_WISH_MS) process.exit(1);
    controller.abort();
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of STOP_SIGNALS) process.off(name, onSignal);
    },
  };
}

/** Settles when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Closes, but waits no longer than `deadlineMs`: a server whose client is gone has to be gone too. */
export async function closeWithin(deadlineMs: number, resource: AsyncDisposable): Promise<void> {
  const { promise: elapsed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, deadlineMs);
  try {
    await Promise.race([resource[Symbol.asyncDispose](), elapsed]);
  } finally {
    clearTimeout(timer);
  }
}
