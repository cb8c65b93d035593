// Attack: main() returns, and an endless chain of microtasks goes on: the caller has its answer, the thread is never free again.
// Expect: value 1
// Guard: after-answer-limit
async function main() {
  const again = async () => {
    for (;;) await undefined;
  };
  void again();
  return 1;
}
