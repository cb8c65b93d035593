// Attack: JSON.stringify is replaced by one that keeps what the next call writes with it.
// Expect: value null
// Guard tool: hardened-language
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) {
    JSON.stringify({ card: "4111" });
    return JSON.stringify.heard;
  }
  const { stringify } = JSON;
  const listener = (value) => {
    listener.heard = value;
    return stringify(value);
  };
  Object.defineProperty(JSON, "stringify", { value: listener });
}
