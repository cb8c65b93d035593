import { randomBytes } from "node:crypto";

/** Most bytes given at once; see guest/web-time.js. */
const MOST_BYTES = 65_536;

/** So many random bytes, one a character, for crypto.getRandomValues. The isolate waits for it: it is short work, whatever is asked. */
export function randomText(bytes: number): string {
  const wanted = Math.trunc(Number(bytes));
  return randomBytes(wanted > 0 ? Math.min(wanted, MOST_BYTES) : 0).toString("latin1");
}
