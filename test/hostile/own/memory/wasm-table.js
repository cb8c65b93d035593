// Attack: tables of WebAssembly, ten million entries each, looked for on every object of the prototype chain of the global object.
// Expect: value "nowhere to be had"
// Guard: removed-webassembly
// Mode: call
async function main() {
  for (let owner = globalThis; owner !== null; owner = Object.getPrototypeOf(owner)) {
    const found = Object.getOwnPropertyDescriptor(owner, "WebAssembly")?.value;
    if (found === undefined) continue;
    const tables = [];
    while (tables.length < 20) tables.push(new found.Table({ initial: 10_000_000, element: "anyfunc" }));
    return tables.length;
  }
  return "nowhere to be had";
}
