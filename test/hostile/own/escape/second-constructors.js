// Attack: `constructor` of a prototype leads to another constructor than the global name: a second Date, RegExp, Symbol or Function.
// Expect: value []
// Guard: mended-constructors
// Mode: tool
async function main() {
  return ["Date", "Function", "RegExp", "Symbol"].filter((name) => globalThis[name].prototype.constructor !== globalThis[name]);
}
