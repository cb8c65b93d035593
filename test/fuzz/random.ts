import { seededRandom } from "../long/evidence.ts";

/** Seeded choices; the same seed and the same questions give the same answers. */
export interface Random {
  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number;
  /** True that often, 0 to 1. */
  chance(share: number): boolean;
  /** One of them; throws if there are none. */
  pick<T>(list: readonly T[]): T;
}

/** Choices of a seed. */
export function openRandom(seed: number): Random {
  const next = seededRandom(seed);
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    int,
    chance: (share) => next() < share,
    pick(list) {
      const index = int(0, list.length - 1);
      const [chosen] = list.slice(index, index + 1);
      if (chosen === undefined) throw new Error("There is nothing to pick from.");
      return chosen;
    },
  };
}
