// Attack: The stack of a request that failed, which is put together from where it was asked for.
// Expect: value [false,false]
// Guard: names-of-the-border
const looksLikeAPath = (stack) => /node_modules|file:|[/\\](?:home|root|tmp|usr|work|var|opt|Users)[/\\]|[/\\]sandbox[/\\]|isolate\.ts/.test(stack);

async function main() {
  const stackOf = (promise) => promise.then(() => "", ({ stack }) => stack);
  const stacks = [await stackOf(g.http.makeHttpRequest("http://broken/")), await stackOf(fetch("http://broken/"))];
  return stacks.map(looksLikeAPath);
}
