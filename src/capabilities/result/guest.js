// g.result: how a call ends, said in words. `fail` gives a mark that main() returns (or throws).
(bridge) => ({
  member: bridge.tools.freeze({
    __proto__: null,
    ok: (value) => {
      bridge.requireLive();
      return value;
    },
    fail: (message) => {
      bridge.requireLive();
      return bridge.failure(message);
    },
  }),
});
