// Attack: Stacks taken in functions of the script that the border calls: a timer's, a listener's, a trap's, a toJSON.
// Expect: value [false,false,false,false]
// Guard: names-of-the-border
const looksLikeAPath = (stack) => /node_modules|file:|[/\\](?:home|root|tmp|usr|work|var|opt|Users)[/\\]|[/\\]sandbox[/\\]|isolate\.ts/.test(stack);

async function main() {
  const stacks = [];
  const take = () => void stacks.push(new Error("a").stack);
  await new Promise((resolve) => setTimeout(() => resolve(take()), 1));
  const target = new EventTarget();
  target.addEventListener("a", take);
  target.dispatchEvent(new Event("a"));
  console.log(new Proxy({}, { ownKeys: () => take() ?? [] }));
  return { toJSON: () => (take(), stacks.map(looksLikeAPath)) };
}
