// Attack: A sourceURL in the script, so that its errors seem to come from somebody else's file.
// Expect: value [true,false]
// Guard: no-source-url
async function main() {
  const { stack } = new Error("a");
  return [stack.includes("scripts/probe.js"), stack.includes("trusted.js")];
}
//# sourceURL=scripts/trusted.js
