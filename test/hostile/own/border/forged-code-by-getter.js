// Attack: A code that is a getter which never ends, on an error the border made itself.
// Expect: SECRET_ACCESS_DENIED
// Limit: 500
// Guard: codes-of-the-border
async function main() {
  try {
    g.secrets.getSecret("A");
  } catch (error) {
    Object.defineProperty(error, "code", {
      get() {
        for (;;);
      },
    });
    throw error;
  }
}
