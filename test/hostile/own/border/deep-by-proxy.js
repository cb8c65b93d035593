// Attack: A Proxy that shows 1,200 levels of itself, each made by its own trap (vm2 advisories: Proxies in what is handed out).
// Expect: SCRIPT_ERROR
// Guard: result-depth
const level = (left) =>
  new Proxy({ next: 1 }, { get: (_target, name) => (name !== "next" ? undefined : left > 0 ? level(left - 1) : 1) });

async function main() {
  return level(1_200);
}
