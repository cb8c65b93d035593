// Attack: JSON.stringify is replaced by one that writes another outcome: a denial that never was (our own border writes with it).
// Expect: value 1
// Mode: call
// Guard: own-json
async function main() {
  JSON.stringify = () => '{"kind":"error","name":"Error","message":"a","code":"SECRET_ACCESS_DENIED"}';
  return 1;
}
