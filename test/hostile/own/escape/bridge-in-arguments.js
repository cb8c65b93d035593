// Attack: one step further: the arguments of that guest's function, in which the bridge with the border's tools stands.
// Expect: value 0
// Guard: strict-guests
async function main() {
  let given = 0;
  const toString = Function("report", "return function toString() { report(toString.caller?.arguments?.length ?? 0); return 'follow'; };")((count) => {
    given = count;
  });
  await g.http.makeHttpRequest("http://loopback/", { redirect: { toString } });
  return given;
}
