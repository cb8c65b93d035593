// Attack: The depth is hidden in a content block, which is written with limits of its own.
// Expect: SCRIPT_ERROR
// Guard: result-depth
async function main() {
  let deep = {};
  for (let level = 0; level < 1_500; level++) deep = { deep };
  return g.result.content([{ type: "text", text: "a", _meta: deep }]);
}
