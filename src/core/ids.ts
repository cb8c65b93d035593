import { randomBytes } from "node:crypto";

/** A random id of 26 lower-case letters and digits (130 bits would be 26 base32 characters; 16 bytes give 128). */
export function newId(): string {
  let bits = 0n;
  for (const byte of randomBytes(16)) bits = (bits << 8n) | BigInt(byte);
  return bits.toString(32).padStart(26, "0");
}
