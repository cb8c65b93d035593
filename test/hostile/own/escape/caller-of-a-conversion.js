// Attack: an option whose toString() is sloppy code asks for its caller: the guest side of http, whose first argument is the bridge of the call.
// Expect: value "null"
// Guard: strict-guests
async function main() {
  let seen = "not called";
  const toString = Function("report", "return function toString() { report(toString.caller === null ? 'null' : toString.caller.name); return 'follow'; };")((text) => {
    seen = text;
  });
  await g.http.makeHttpRequest("http://loopback/", { redirect: { toString } });
  return seen;
}
