// Attack: the same in the turn of a host's answer: a rejection nobody handles must not end the isolate under the call.
// Expect: value 200
// Limit: 2000
// Guard: first-rejection
async function main() {
  await fetch("http://loopback/");
  Promise.reject(new Error("nobody handles this"));
  const { status } = await fetch("http://loopback/");
  return status;
}
