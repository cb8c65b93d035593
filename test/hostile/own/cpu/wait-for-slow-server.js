// Attack: waits for a server that never answers, with a handler that asks again; no limit of a request is on the script's side.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  for (;;) {
    try {
      await fetch("http://slow/");
    } catch {
      continue;
    }
  }
}
