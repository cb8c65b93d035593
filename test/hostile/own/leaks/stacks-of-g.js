// Attack: The stacks of errors that g and the web's names make, to learn where the server lies.
// Expect: value [false,false,false,false]
// Guard: names-of-the-border
const looksLikeAPath = (stack) => /node_modules|file:|[/\\](?:home|root|tmp|usr|work|var|opt|Users)[/\\]|[/\\]sandbox[/\\]|isolate\.ts/.test(stack);

async function main() {
  const stacks = [];
  for (const attempt of [() => g.run.sleep("a"), () => new URL("a"), () => setTimeout(1), () => g.secrets.getSecret("A")]) {
    try {
      await attempt();
    } catch ({ stack }) {
      stacks.push(stack);
    }
  }
  return stacks.map(looksLikeAPath);
}
