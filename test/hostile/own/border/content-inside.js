// Attack: The mark for content is put inside of a value, where it would pass as an empty object.
// Expect: SCRIPT_ERROR
// Guard: content-mark
async function main() {
  return { safe: g.result.content([{ type: "text", text: "a" }]) };
}
