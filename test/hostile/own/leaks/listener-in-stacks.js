// Attack: A hook for stacks is handed every error the next call makes, with the message.
// Expect: value false
// Guard tool: errors-of-one-call
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) {
    void new Error("card 4111").stack;
    return String(new Error("a").stack).includes("4111");
  }
  const heard = [];
  Error.prepareStackTrace = (error) => {
    heard.push(error.message);
    return heard.join();
  };
}
