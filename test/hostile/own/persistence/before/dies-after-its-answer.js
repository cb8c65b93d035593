async function main() {
  const die = async () => {
    // The answer is given within a few of these turns.
    for (let turn = 0; turn < 20; turn++) await null;
    const endMs = Date.now() + 300;
    while (Date.now() < endMs);
    // A table over its maximum ends the process at once; see 88-invalid-size-split.js.
    "x".repeat(1.4e8).split("");
  };
  void die();
  return 1;
}
