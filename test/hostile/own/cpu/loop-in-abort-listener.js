// Attack: an abort listener that never comes back, called by the border while it prepares a request.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  const controller = new AbortController();
  controller.signal.addEventListener("abort", () => {
    for (;;);
  });
  const request = fetch("http://slow/", { signal: controller.signal });
  controller.abort();
  await request;
}
