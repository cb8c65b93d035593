// Attack: "get" and "set" on Object.prototype, so that every property the border defines by a plain descriptor fails.
// Expect: value [200,"SECRET_ACCESS_DENIED"]
// Mode: call
// Guard: bare-descriptors
async function main() {
  Object.prototype.get = () => 1;
  Object.prototype.set = () => 1;
  const { status } = await g.http.makeHttpRequest("http://a/");
  try {
    g.secrets.getSecret("A");
  } catch ({ code }) {
    return [status, code];
  }
}
