import type { ToHost } from "./border.ts";
import type { SandboxScript } from "./sandbox-call.ts";

/** Script text one host is given to keep, in UTF-16 units. A host needs it only to load another isolate. */
const MAX_CHARACTERS = 32 * 1_048_576;
const MAX_SCRIPTS = 1_000;

/** Which scripts a host has: each is sent once, and the least recently used are taken back when there are too many. */
export class ScriptShelf {
  readonly #send: (message: ToHost) => void;
  /** Length by key, least recently used first. */
  readonly #lengths = new Map<string, number>();
  #characters = 0;

  constructor(send: (message: ToHost) => void) {
    this.#send = send;
  }

  /** Sends the script unless the host has it. */
  send({ key, source, file, entry }: SandboxScript): void {
    const known = this.#lengths.get(key);
    if (known !== undefined) {
      this.#lengths.delete(key);
      this.#lengths.set(key, known);
      return;
    }
    this.#send({ kind: "script", key, source, file, entry });
    this.#lengths.set(key, source.length);
    this.#characters += source.length;
    for (const [oldKey, length] of this.#lengths) {
      if (oldKey === key || (this.#characters <= MAX_CHARACTERS && this.#lengths.size <= MAX_SCRIPTS)) break;
      this.#lengths.delete(oldKey);
      this.#characters -= length;
      this.#send({ kind: "forget", key: oldKey });
    }
  }
}
