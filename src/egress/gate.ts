/** Lets a number of users in at once; the others wait in the order they came. */

/** See {@link createGate}. */
export interface Gate {
  /** Settles with the function that gives the place back, once there is one. Rejects with the signal's reason if it is aborted first. */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** A gate with this many places, at least one. */
export function createGate(places: number): Gate {
  let free = Math.max(1, places);
  const waiting = new Set<() => void>();
  const leave = (): void => {
    const [next] = waiting;
    // The place goes straight to the next in line: freed first, a newcomer could take it in between.
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else await waitFor(waiting, signal);
      return leave;
    },
  };
}

function waitFor(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const proceed = (): void => {
    waiting.delete(proceed);
    signal.removeEventListener("abort", giveUp);
    resolve();
  };
  const giveUp = (): void => {
    waiting.delete(proceed);
    reject(signal.reason);
  };
  waiting.add(proceed);
  signal.addEventListener("abort", giveUp, { once: true });
  return promise;
}
