// g.log and console: lines of the call's log. Values are written like JSON; getters are not run.
(bridge) => {
  const writer =
    (level) =>
    (...values) =>
      bridge.log(level, values);
  const debug = writer("debug");
  const info = writer("info");
  const warn = writer("warn");
  const error = writer("error");
  return {
    member: bridge.tools.freeze({ __proto__: null, debug, info, warn, error }),
    globals: { __proto__: null, console: bridge.tools.freeze({ __proto__: null, debug, info, log: info, warn, error }) },
  };
};
