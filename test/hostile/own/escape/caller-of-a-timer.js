// Attack: the function of a timer, of sloppy code, looks for the border's function that called it, by every step of `caller` there is.
// Expect: value []
// Guard: strict-border
async function main() {
  return await new Promise((resolve) => {
    const fire = Function(
      "done",
      `return function fire() {
        const found = [];
        try {
          for (let at = fire.caller; at !== null && found.length < 5; at = at.caller) found.push(at.name);
        } catch (error) {
          found.push(error.name);
        }
        done(found);
      };`,
    )(resolve);
    setTimeout(fire, 1);
  });
}
