// Attack: The engine's own records of a stack, which know more of a file than the text (vm2 advisories: call sites of host frames).
// Expect: value false
// Mode: call
// Guard: names-of-the-border
const looksLikeAPath = (stack) => /node_modules|file:|[/\\](?:home|root|tmp|usr|work|var|opt|Users)[/\\]|[/\\]sandbox[/\\]|isolate\.ts/.test(stack);

async function main() {
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => [site.getFileName(), site.getScriptNameOrSourceURL(), site.getEvalOrigin(), String(site)]);
  try {
    await g.run.sleep("a");
  } catch ({ stack }) {
    return looksLikeAPath(JSON.stringify(stack));
  }
}
