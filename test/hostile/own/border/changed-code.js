// Attack: An error of the border with its code exchanged, to hide what the script was denied.
// Expect: SECRET_ACCESS_DENIED
// Guard: codes-of-the-border
async function main() {
  try {
    g.secrets.getSecret("A");
  } catch (error) {
    error.code = "INVALID_REQUEST";
    throw error;
  }
}
