import { inspect } from "node:util";

/** Text that must not leak: printing, logging or serialising it shows only a mark. `reveal()` is for the vault and the request writer. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}
