// Attack: Half characters in names and values: some clients refuse a whole conversation over one.
// Expect: value {"a\ufffd":["\ufffd"]}
// Guard: well-formed
async function main() {
  return { "a\ud800": ["\udfff"] };
}
