// Attack: The stack of the error that an assignment to a hardened prototype makes: its setter is code of the hardening.
// Expect: value false
// Mode: tool
// Guard: names-of-the-hardening
const looksLikeAPath = (stack) => /node_modules|file:|[/\\](?:home|root|tmp|usr|work|var|opt|Users)[/\\]|[/\\]sandbox[/\\]|isolate\.ts/.test(stack);

async function main() {
  try {
    Array.prototype.push = 1;
  } catch ({ stack }) {
    return looksLikeAPath(stack);
  }
}
