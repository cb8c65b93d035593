// Attack: An error is logged whose message throws that error, so that showing it shows it again (our own format.js and errors.js called each other).
// Expect: value ["Error"]
// Guard: error-shown-once
async function main() {
  const error = new Error("a");
  Object.defineProperty(error, "message", {
    get() {
      throw error;
    },
  });
  console.log(error);
  return (await g.http.makeHttpRequest("http://notices/")).json().map(({ params }) => params.text);
}
