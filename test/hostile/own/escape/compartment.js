// Attack: Compartment of ses evaluates code with another global object, and `harden` freezes what others still need.
// Expect: value []
// Guard: removed-tools-of-ses
// Mode: tool
async function main() {
  return ["lockdown", "repairIntrinsics", "hardenIntrinsics", "Compartment", "ModuleSource", "assert", "harden", "getStackString"].filter((name) => name in globalThis);
}
