// Attack: The time zone and the language of whoever runs the server, which the engine takes from the environment.
// Expect: value [false,false]
// Guard: empty-environment
async function main() {
  const { timeZone, locale } = new Intl.DateTimeFormat().resolvedOptions();
  return [timeZone === "Antarctica/Troll", locale.startsWith("fo")];
}
