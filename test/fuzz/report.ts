/** What a stage sent, and what it found: each finding is something the protocol does not allow that happened all the same. */
export interface Tally {
  messages: number;
  /** Of them one change away from a valid one. */
  mutated: number;
  /** Of the mutated ones those that are valid all the same, and were taken. */
  takenMutants: number;
  /** How often each change was made. */
  readonly mutations: Record<string, number>;
  readonly findings: Finding[];
}

/** One deviation. */
export interface Finding {
  readonly stage: string;
  /** Messages of this run up to it, over all stages. */
  readonly atMessage: number;
  readonly what: string;
}

/** An empty tally. */
export function newTally(): Tally {
  return { messages: 0, mutated: 0, takenMutants: 0, mutations: {}, findings: [] };
}

/** Counts one message; `mutation` is absent for a valid one. */
export function count(tally: Tally, mutation: string | undefined, isTaken: boolean): void {
  tally.messages += 1;
  if (mutation === undefined) return;
  tally.mutated += 1;
  if (isTaken) tally.takenMutants += 1;
  tally.mutations[mutation] = (tally.mutations[mutation] ?? 0) + 1;
}

/** Notes a deviation. */
export function find(tally: Tally, stage: string, what: string): void {
  tally.findings.push({ stage, atMessage: tally.messages, what: what.slice(0, 2_000) });
}
