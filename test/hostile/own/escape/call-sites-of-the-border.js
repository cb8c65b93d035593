// Attack: Error.prepareStackTrace gets call sites, and from those of the border its functions (vm2 advisories CVE-2022-36067 and CVE-2023-29017).
// Expect: value {"first":1,"second":[]}
// Guard: strict-border
// Mode: call
async function main() {
  const found = [];
  Error.prepareStackTrace = (_, sites) => {
    for (const site of sites) {
      const from = site.getFunction();
      // Sloppy code of this file is no find.
      if (typeof from === "function" && from !== get) found.push(from.name);
    }
    return "";
  };
  const get = Function("return function get() { new Error('a').stack; return 1; };")();
  const result = {};
  Object.defineProperty(result, "first", { enumerable: true, get });
  return Object.defineProperty(result, "second", { enumerable: true, get: () => found });
}
