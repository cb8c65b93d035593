/**
 * The vault's cryptography, all of it from node:crypto: AES-256-GCM, HKDF-SHA256, HMAC-SHA256, argon2id.
 *
 *   master key (32 bytes) ── HKDF "wrap" ──► key that wraps the data key (random, 32 bytes)
 *   recovery key (32 bytes) ── HKDF "recovery" ──► another key that wraps the same data key
 *   data key ── HKDF "items" ──► key of the items        data key ── HKDF "mac" ──► key of the file's MAC
 */
import { argon2, createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** Length of every key, in bytes. */
export const KEY_BYTES = 32;

/** Cost of argon2id: memory in KiB, passes, lanes. */
export interface Argon2Cost {
  readonly m: number;
  readonly t: number;
  readonly p: number;
}

/** Cost for new vaults: 64 MiB and 3 passes take about 0.6 s (RFC 9106 names this as its second choice, with 4 lanes; one is used as scripts share the cores). */
export const ARGON2_COST: Argon2Cost = { m: 65_536, t: 3, p: 1 };

/** Bounds for what a file may ask for: below them guessing is cheap, above them opening a forged file exhausts the machine. */
export const ARGON2_BOUNDS = { m: [8_192, 1_048_576], t: [1, 16], p: [1, 8] } as const;

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A fresh random key. */
export function newKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** A key for one purpose, from another key. `vaultId` keeps the keys of two vaults apart that share a master key. */
export function deriveKey(key: Uint8Array, vaultId: string, purpose: "wrap" | "items" | "mac" | "recovery"): Buffer {
  return Buffer.from(hkdfSync("sha256", key, vaultId, `toolyard-vault v1 ${purpose}`, KEY_BYTES));
}

/** Master key from a passphrase. Takes about 0.6 s off the main thread. */
export async function derivePassphraseKey(passphrase: string, salt: Uint8Array, { m, t, p }: Argon2Cost): Promise<Buffer> {
  // One passphrase typed on two systems may be encoded in two ways (composed or not); NFC makes them one.
  const message = passphrase.normalize("NFC");
  return promisify(argon2)("argon2id", { message, nonce: salt, memory: m, passes: t, parallelism: p, tagLength: KEY_BYTES });
}

/** Encrypts: base64 of IV, ciphertext and tag. `aad` is not stored, but without the very same text nothing opens it. */
export function seal(key: Uint8Array, plain: Uint8Array, aad: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(aad));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

/** Decrypts what `seal` made; undefined if key, text or `aad` is another. */
export function unseal(key: Uint8Array, sealed: string, aad: string): Buffer | undefined {
  const bytes = Buffer.from(sealed, "base64");
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES)), decipher.final()]);
  } catch {
    // The one way final() fails is a tag that does not fit; it says no more than that.
    return undefined;
  }
}

/** Base64 of the MAC over a text. */
export function macOf(key: Uint8Array, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64");
}

/** Compares two MACs in a time that does not depend on where they differ. */
export function isSameMac(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
