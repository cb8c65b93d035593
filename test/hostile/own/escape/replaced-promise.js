// Attack: a global Promise of its own gets the functions by which the border answers a host call.
// Expect: value [200,0]
// Guard: captured-promise
// Mode: call
async function main() {
  let taken = 0;
  const Original = Promise;
  // Found by the border through the realm's global object, not through the call's own.
  const realm = Object.getPrototypeOf(globalThis);
  realm.Promise = class extends Original {
    constructor(run) {
      super((resolve, reject) => {
        taken += 1;
        run(resolve, reject);
      });
    }
  };
  const { status } = await g.http.makeHttpRequest("http://loopback/");
  return [status, taken];
}
