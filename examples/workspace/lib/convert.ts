/** A unit of a kind of quantity: its size in the kind's base unit, and where its zero lies there. */
export interface Unit {
  readonly of: string;
  readonly factor: number;
  readonly zero?: number;
}

/** Throws if the two are units of different quantities. */
export function convert(amount: number, from: Unit, to: Unit): number {
  if (from.of !== to.of) throw new TypeError(`A ${from.of} is no ${to.of}.`);
  const inBase = amount * from.factor + (from.zero ?? 0);
  return Number(((inBase - (to.zero ?? 0)) / to.factor).toPrecision(10));
}
