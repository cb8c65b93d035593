// Attack: a replaced Reflect.apply decides what toJSON() of another value gave, and puts a value of its own into the result.
// Expect: value {"a":"asked"}
// Guard: captured-reflect
// Mode: call
async function main() {
  Reflect.apply = () => "forged";
  return { a: { toJSON: () => "asked" } };
}
