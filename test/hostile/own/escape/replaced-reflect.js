// Attack: replaces Reflect.apply and takes what the border calls with it: functions and receivers of its own.
// Expect: value []
// Guard: captured-reflect
// Mode: call
async function main() {
  const taken = [];
  const { apply } = Reflect;
  Reflect.apply = (target, self, values) => {
    taken.push(typeof self);
    return apply(target, self, values);
  };
  await new Promise((resolve) => setTimeout(resolve, 1));
  return [...taken];
}
