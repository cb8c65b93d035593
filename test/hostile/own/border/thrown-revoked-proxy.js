// Attack: A revoked Proxy is thrown: nothing can be asked of it, not even what it is (ses issues: revoked Proxies).
// Expect: SCRIPT_ERROR
// Limit: 500
// Guard: thrown-read-safely
async function main() {
  // A timer that waits: a call that nothing else can settle is ended at once, and would hide the attack.
  setTimeout(() => undefined, 60_000);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  throw proxy;
}
