// Attack: a getter on Object.prototype that stands for a host call nobody made.
// Expect: value [200,0]
// Limit: 500
// Guard: bare-records
// Mode: call
async function main() {
  let asked = 0;
  Object.defineProperty(Object.prototype, "0", {
    configurable: true,
    get() {
      asked += 1;
      return { resolve: () => undefined, reject: () => undefined, convert: () => undefined };
    },
    set() {
      asked += 1;
    },
  });
  const { status } = await g.http.makeHttpRequest("http://loopback/");
  return [status, asked];
}
