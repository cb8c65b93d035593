// Attack: Own properties named __proto__ in the result, for whatever copies it with assignments afterwards (prototype pollution by JSON).
// Expect: value {"list":[{"a":1}]}
// Guard: proto-key
async function main() {
  return JSON.parse('{"__proto__":{"isAdmin":true},"list":[{"a":1,"__proto__":null}]}');
}
