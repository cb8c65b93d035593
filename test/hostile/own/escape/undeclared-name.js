// Attack: assigns to a name nobody declared: sloppy code makes a global of it.
// Expect: value "ReferenceError"
// Guard tool: strict-script
// Guard call: strict-script
async function main() {
  try {
    undeclared = 1;
    return "assigned";
  } catch (error) {
    return error.name;
  }
}
