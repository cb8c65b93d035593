// Attack: An answer that is no JSON is read as JSON: the parser's message quotes it, and messages go where bodies do not (logs, the model).
// Expect: value [false,false]
// Guard: parser-is-not-quoted
async function main() {
  const messageOf = (promise) => promise.then(() => "", ({ message }) => message);
  const messages = [
    await messageOf(g.http.makeHttpRequest("http://secretive/", { responseType: "json" })),
    await messageOf(g.http.makeHttpRequest("http://secretive/").then((response) => response.json())),
  ];
  return messages.map((message) => /the-mark|is not valid JSON/.test(message));
}
