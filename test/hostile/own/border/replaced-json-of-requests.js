// Attack: JSON.parse is replaced by one that keeps what the server answers, before its limits and checks are applied.
// Expect: value 0
// Mode: call
// Guard: own-json
async function main() {
  let seen = 0;
  const { parse } = JSON;
  JSON.parse = (text) => {
    seen += 1;
    return parse(text);
  };
  await fetch("http://a/");
  return seen;
}
