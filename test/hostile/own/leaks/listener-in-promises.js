// Attack: Promise.prototype.then is replaced by one that keeps what the next call waits for, such as the answer to a request.
// Expect: value null
// Guard tool: hardened-language
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  const { then } = Promise.prototype;
  if (turn === 2) {
    await g.http.makeHttpRequest("http://a/").then(({ status }) => status);
    return Promise.prototype.then.heard;
  }
  const listener = function (resolve, reject) {
    listener.heard = "left";
    return Reflect.apply(then, this, [resolve, reject]);
  };
  Object.defineProperty(Promise.prototype, "then", { value: listener });
}
