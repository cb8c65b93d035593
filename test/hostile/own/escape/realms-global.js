// Attack: the call's own global object inherits from the realm's; what is put there every call of the isolate finds.
// Expect: value "refused"
// Guard: hardened-global
// Mode: tool
async function main() {
  try {
    Object.getPrototypeOf(globalThis).left = 1;
    return "left";
  } catch {
    return "refused";
  }
}
