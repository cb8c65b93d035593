// TypeScript, with a module and a table that other scripts can use as well.
import { convert, type Unit } from "../lib/convert.ts";
import table from "../lib/units.json" with { type: "json" };

interface Args {
  amount: number;
  from: string;
  to: string;
}

const units: Record<string, Unit> = table;

export default async function ({ amount, from, to }: Args) {
  const [source, target] = [units[from], units[to]];
  if (!source || !target) return g.result.fail(`Known units: ${Object.keys(units).join(", ")}`);
  return { amount: convert(amount, source, target), unit: to };
}
