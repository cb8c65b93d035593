// Attack: A body, a method and a redirect mode on Object.prototype, for every request of a library that is trusted with plain options.
// Expect: value ["headers","url"]
// Mode: call
// Guard: own-options
async function main() {
  Object.prototype.body = "stolen";
  Object.prototype.method = "POST";
  Object.prototype.redirect = "manual";
  await g.http.makeHttpRequest("http://a/", { headers: {} });
  for (const name of ["body", "method", "redirect"]) delete Object.prototype[name];
  const [{ params }] = (await g.http.makeHttpRequest("http://calls/")).json();
  return Object.keys(params).sort();
}
