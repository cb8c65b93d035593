/** Ends an isolate that may have ended already. */
export function disposeQuietly(isolate: { dispose(): void }): void {
  try {
    isolate.dispose();
  } catch {
    // Already disposed, by the library after a memory error or by an earlier call of this.
  }
}
