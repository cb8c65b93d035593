/** Keeps redactors for the next call: most calls of a tool send the same secrets, and forms of a long one take time to make. */
import { createRedactor, type Redactor } from "./redactor.ts";

/** See {@link createRedactorStore}. Holds the values it was asked for, as long as it lasts. */
export interface RedactorStore {
  /** The redactor for these values, whatever their order and number; the same one while it is kept. */
  of(values: Iterable<string>): Redactor;
}

/** Redactors kept; each takes 64 KiB and its forms. Tools of one server that send different sets are rarely more. */
const MAX_KEPT = 32;

/** Characters of the values for which redactors are kept; the forms of them are some thirty times as much. */
const MAX_KEPT_CHARACTERS = 256 * 1024;

/** An empty store. `make` is for tests. */
export function createRedactorStore(make: (values: Iterable<string>) => Redactor = createRedactor): RedactorStore {
  const kept = new Map<string, Redactor>();
  const none = make([]);
  let characters = 0;
  const drop = (key: string): void => {
    if (kept.delete(key)) characters -= key.length;
  };
  return {
    of(values) {
      const distinct = [...new Set(values)].sort();
      if (distinct.length === 0) return none;
      // By content, not by number: a value that was replaced leaves the number as it is.
      const key = JSON.stringify(distinct);
      const redactor = kept.get(key) ?? make(distinct);
      drop(key);
      kept.set(key, redactor);
      characters += key.length;
      // The first is the one that was not asked for the longest; the one just asked for may stay alone, whatever its size.
      for (const oldest of kept.keys()) {
        if (kept.size === 1 || (kept.size <= MAX_KEPT && characters <= MAX_KEPT_CHARACTERS)) break;
        drop(oldest);
      }
      return redactor;
    },
  };
}
