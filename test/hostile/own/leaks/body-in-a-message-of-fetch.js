// Attack: The same by fetch and by a Response the script made of the text.
// Expect: value [false,false]
// Guard: parser-is-not-quoted
async function main() {
  const messageOf = (promise) => promise.then(() => "", ({ message }) => message);
  const response = await fetch("http://secretive/");
  const copy = new Response(await response.clone().text());
  const messages = [await messageOf(response.json()), await messageOf(copy.json())];
  return messages.map((message) => /the-mark|is not valid JSON/.test(message));
}
