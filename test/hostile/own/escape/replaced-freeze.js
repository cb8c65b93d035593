// Attack: Object.freeze replaced by one that keeps what the border freezes, and leaves it open.
// Expect: value []
// Guard: captured-object
// Mode: call
async function main() {
  const taken = [];
  Object.freeze = (value) => {
    taken.push(value);
    return value;
  };
  const failure = g.result.fail("a");
  const block = g.result.link("https://a.example/", "a");
  if (taken.includes(failure)) failure.failed = "changed";
  return taken.map((each) => (each === block ? "block" : typeof each));
}
