// Attack: Object.defineProperty replaced by one that sees what the border defines: the code on its errors, before the script may have it.
// Expect: value "INVALID_REQUEST"
// Guard: captured-object
// Mode: call
async function main() {
  const { defineProperty } = Object;
  Object.defineProperty = (target, name, descriptor) => {
    return defineProperty(target, name, name === "code" ? { ...descriptor, value: "FORGED" } : descriptor);
  };
  try {
    await g.http.makeHttpRequest("http://loopback/", { timeout: -1 });
    return "no error";
  } catch (error) {
    return error.code;
  }
}
