// A keychain in memory, which other people's service is; the real one is tested in test/security/keychain.test.ts.
import type { Secret } from "../../src/core/secret.ts";
import type { Keychain } from "../../src/secrets/keychain.ts";

/** A keychain whose entries can be looked at and taken away. */
export interface MemoryKeychain extends Keychain {
  /** By vault id, for the one to come followed by " next". */
  readonly keys: Map<string, Secret>;
  /** How often it was read. */
  reads: number;
}

/** Makes an empty one. */
export function memoryKeychain(): MemoryKeychain {
  const keys = new Map<string, Secret>();
  const nameOf = (id: string, entry: "current" | "next"): string => (entry === "next" ? `${id} next` : id);
  return {
    keys,
    reads: 0,
    async read(id) {
      this.reads++;
      const [current, next] = [keys.get(id), keys.get(`${id} next`)];
      return { ...(current === undefined ? {} : { current }), ...(next === undefined ? {} : { next }) };
    },
    async write(id, entry, key) {
      keys.set(nameOf(id, entry), key);
    },
    async remove(id, entry) {
      return keys.delete(nameOf(id, entry));
    },
  };
}
