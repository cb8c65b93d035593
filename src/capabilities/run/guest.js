// g.run: this call, its time and its progress.
(bridge) => {
  const { callId, run } = bridge.facts;
  const { freeze, isFiniteNumber, cutText, RawPromise, RawTypeError } = bridge.tools;
  // Progress goes to the client's user; a longer text is no progress message.
  const MESSAGE_CHARACTERS = 200;
  const number = (value, name) => {
    if (typeof value === "number" && isFiniteNumber(value) && value >= 0) return value;
    throw new RawTypeError(`g.run.${name} takes numbers from 0 up.`);
  };
  return {
    member: freeze({
      __proto__: null,
      id: callId,
      origin: run.origin,
      startedAt: run.startedAt,
      remainingMs: () => {
        bridge.requireLive();
        return bridge.remainingMs();
      },
      progress: (done, total, message) => {
        const params = { __proto__: null, done: number(done, "progress(done)") };
        if (total !== undefined) params.total = number(total, "progress(done, total)");
        if (message !== undefined) params.message = cutText(`${message}`, MESSAGE_CHARACTERS);
        bridge.progress(params);
      },
      sleep: (ms) =>
        new RawPromise((resolve) => {
          bridge.setTimeout(() => resolve(), number(ms, "sleep(ms)"));
        }),
    }),
  };
};
