/** How many of something each token has at the moment; of tokens that have none nothing is kept. */
export interface TokenCounts {
  of(tokenHash: string): number;
  change(tokenHash: string, by: 1 | -1): void;
  /** Of all tokens together. */
  total(): number;
}

/** Counts that begin at 0. */
export function createTokenCounts(): TokenCounts {
  const counts = new Map<string, number>();
  const of = (tokenHash: string): number => counts.get(tokenHash) ?? 0;
  return {
    of,
    change: (tokenHash, by) => {
      const count = of(tokenHash) + by;
      if (count === 0) counts.delete(tokenHash);
      else counts.set(tokenHash, count);
    },
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
  };
}
