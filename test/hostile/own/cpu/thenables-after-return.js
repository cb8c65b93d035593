// Attack: a promise resolved with a thenable that resolves with a thenable, for ever, after main() has returned.
// Expect: value 1
// Guard: after-answer-limit
async function main() {
  const thenable = { then: (resolve) => resolve({ then: thenable.then }) };
  void Promise.resolve(thenable);
  return 1;
}
