/**
 * The recovery key: 32 random bytes that open the vault when its master key is lost. Made with the vault, shown once and
 * kept nowhere; the vault holds its data key encrypted with it. Written in groups, with a check sum, so that it can be
 * copied from paper.
 */
import { createHash } from "node:crypto";
import { ToolError } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import { deriveKey, KEY_BYTES, newKey, seal, unseal } from "./vault-crypto.ts";
import { recoveryAad } from "./vault-file.ts";

/** Crockford's base 32: no I, L, O and U, which are read as 1, 1, 0 and V. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** With the 32 bytes of the key 280 bits: 56 characters, 14 groups of 4. A mistyped key passes once in 16 million. */
const CHECK_BYTES = 3;
const CHARACTERS = ((KEY_BYTES + CHECK_BYTES) * 8) / 5;
const GROUP = 4;

/** A recovery key and the vault's data key encrypted with it. */
export interface NewRecovery {
  /** As text, to be shown once. */
  readonly key: Secret;
  readonly wrap: string;
}

/** Makes a recovery key for the vault. */
export function createRecovery(vaultId: string, dataKey: Uint8Array): NewRecovery {
  const key = newKey();
  const wrap = seal(deriveKey(key, vaultId, "recovery"), dataKey, recoveryAad(vaultId));
  const text = recoveryText(key);
  key.fill(0);
  return { key: text, wrap };
}

/** The data key, if this is the vault's recovery key. Throws `ToolError` INVALID_REQUEST for what is no recovery key, VAULT_KEY for another one. */
export function openRecovery(vaultId: string, wrap: string, text: Secret): Buffer {
  const key = parseRecovery(text);
  const dataKey = unseal(deriveKey(key, vaultId, "recovery"), wrap, recoveryAad(vaultId));
  key.fill(0);
  if (dataKey !== undefined) return dataKey;
  throw new ToolError(
    "VAULT_KEY",
    "The recovery key does not open this vault: it belongs to another one, or a newer one was made since. The vault was left as it is.",
  );
}

/** The bytes of a key in groups, with their check sum. */
export function recoveryText(key: Uint8Array): Secret {
  let bits = 0n;
  for (const byte of [...key, ...checkSum(key)]) bits = (bits << 8n) | BigInt(byte);
  let text = "";
  for (let at = CHARACTERS - 1; at >= 0; at--) text += ALPHABET.charAt(Number((bits >> BigInt(at * 5)) & 31n));
  return new Secret(text.replace(/.{4}(?=.)/g, "$&-"));
}

/** The bytes of a key as somebody typed it: case, blanks and dashes do not matter. Throws `ToolError` INVALID_REQUEST. */
export function parseRecovery(text: Secret): Buffer {
  const characters = text.reveal().toUpperCase().replace(/[\s-]/g, "").replace(/[IL]/g, "1").replaceAll("O", "0").replaceAll("U", "V");
  if (characters.length !== CHARACTERS || [...characters].some((character) => !ALPHABET.includes(character))) {
    throw malformed(`it has ${CHARACTERS / GROUP} groups of ${GROUP} letters and digits`);
  }
  let bits = 0n;
  for (const character of characters) bits = (bits << 5n) | BigInt(ALPHABET.indexOf(character));
  const bytes = Buffer.from(bits.toString(16).padStart((KEY_BYTES + CHECK_BYTES) * 2, "0"), "hex");
  const key = Buffer.from(bytes.subarray(0, KEY_BYTES));
  if (!checkSum(key).equals(bytes.subarray(KEY_BYTES))) throw malformed("a character of it is mistyped, as its check sum shows");
  return key;
}

/** Of text and key, so that no other 35 bytes in base 32 pass for one. */
function checkSum(key: Uint8Array): Buffer {
  return createHash("sha256").update("toolyard-recovery-key").update(key).digest().subarray(0, CHECK_BYTES);
}

function malformed(found: string): ToolError {
  return new ToolError("INVALID_REQUEST", `That is not a recovery key: ${found}. Type it again as it was shown; nothing was changed.`);
}
