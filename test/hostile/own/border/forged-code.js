// Attack: An error of the script with a code of the border, to have its caller believe a denial that never was.
// Expect: SCRIPT_ERROR
// Guard: codes-of-the-border
async function main() {
  throw Object.assign(new Error("The secret is not for you."), { code: "SECRET_ACCESS_DENIED" });
}
