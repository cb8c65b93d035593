// Attack: `with` over a Proxy that claims every name sees each name the code behind it asks for.
// Expect: SCRIPT_ERROR
// Guard: strict-script
async function main() {
  const asked = [];
  with (new Proxy({}, { has: (_, name) => asked.push(String(name)) < 0 })) {
    return typeof somewhere === "undefined" && asked.length > 0;
  }
}
