// Attack: A schema of a question that is nested deeper than the server takes from any host, which would cost all calls of the host.
// Expect: INVALID_REQUEST
// Guard: parameter-depth
async function main() {
  let schema = {};
  for (let level = 0; level < 1_500; level++) schema = { properties: schema };
  return await g.ask.elicit("How deep?", schema);
}
