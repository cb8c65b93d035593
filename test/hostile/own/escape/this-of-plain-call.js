// Attack: `this` of a function that is called plainly is the realm's own global object in sloppy code, behind the call's own.
// Expect: value "undefined"
// Guard: strict-script
async function main() {
  function plain() {
    return this;
  }
  return typeof plain();
}
