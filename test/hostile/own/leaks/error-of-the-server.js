// Attack: A request on which the server fails by itself, to read its message: paths, process ids, what it was made of.
// Expect: value ["UNAVAILABLE",false,false]
// Guard: errors-of-the-server
async function main() {
  try {
    await g.http.makeHttpRequest("http://broken/");
  } catch ({ code, message, stack }) {
    return [code, message.includes("the-mark"), /process \d/.test(stack)];
  }
}
