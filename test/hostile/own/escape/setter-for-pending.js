// Attack: a setter on Object.prototype named like the first host call would get the border's record of it, with what settles its promise.
// Expect: value [200,"nothing"]
// Limit: 500
// Guard: bare-records
// Mode: call
async function main() {
  let taken = "nothing";
  for (const name of ["0", "1", "2"]) {
    Object.defineProperty(Object.prototype, name, {
      configurable: true,
      set(record) {
        taken = Object.keys(record).join();
      },
    });
  }
  const { status } = await g.http.makeHttpRequest("http://loopback/");
  return [status, taken];
}
