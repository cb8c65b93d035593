// Attack: Atomics.wait on a shared buffer parks the thread of the isolate for good, and with it a thread of the pool.
// Expect: value "nowhere to be had"
// Limit: 500
// Guard: removed-shared-buffers
async function main() {
  const { Atomics: Waiting, SharedArrayBuffer: Shared } = globalThis;
  if (Waiting === undefined || Shared === undefined) return "nowhere to be had";
  Waiting.wait(new Int32Array(new Shared(8)), 0, 0);
}
