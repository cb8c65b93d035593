// Attack: The same by fetch, looking at all that hangs on the error: its cause, its own properties, its text.
// Expect: value false
// Guard: errors-of-the-server
async function main() {
  try {
    await fetch("http://broken/");
  } catch (error) {
    const all = [error, error.cause].flatMap((part) => [String(part), ...Object.values(Object.getOwnPropertyDescriptors(part ?? {})).map(({ value }) => String(value))]);
    return all.some((text) => text.includes("the-mark"));
  }
}
