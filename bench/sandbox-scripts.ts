/** The scripts that every way to run one is measured with: plain functions of their arguments, without any of our names. */
import type { JsonValue } from "../src/core/json.ts";

/** One script, what it is called with and what it must answer. */
export interface BenchScript {
  readonly name: string;
  /** Defines `main`. */
  readonly source: string;
  readonly args: { readonly [name: string]: JsonValue };
  readonly answer: JsonValue;
  /** It uses `g`, which the other ways do not have. */
  readonly isOursOnly?: true;
}

const rows = Array.from({ length: 210 }, (_, id) => ({
  id,
  name: `Some product ${id}`,
  url: `https://example.com/products/${id}`,
  price: id * 1.5,
}));
const text = JSON.stringify(rows);

/** About a millisecond of arithmetic once V8 has compiled it. */
const ROUNDS = 250_000;

/** The scripts, in the order they are measured. */
export const scripts: readonly BenchScript[] = [
  {
    name: "sum of two numbers",
    source: "function main({ a, b }) { return a + b; }\n",
    args: { a: 2, b: 3 },
    answer: 5,
  },
  {
    name: `JSON of ${Math.round(text.length / 1_000)} kB parsed and written`,
    source: "function main({ text }) { return JSON.stringify(JSON.parse(text)); }\n",
    args: { text },
    answer: text,
  },
  {
    name: "about 1 ms of arithmetic",
    source: `function main({ rounds }) {\n  let sum = 1;\n  for (let n = 0; n < rounds; n++) sum = (sum * 31 + n) % 1000003;\n  return sum;\n}\n`,
    args: { rounds: ROUNDS },
    answer: sumOf(ROUNDS),
  },
  {
    name: "one request, answered by the server at once",
    source: 'async function main() { return (await g.http.makeHttpRequest("http://loopback/")).status; }\n',
    args: {},
    answer: 204,
    isOursOnly: true,
  },
];

function sumOf(rounds: number): number {
  let sum = 1;
  for (let n = 0; n < rounds; n++) sum = (sum * 31 + n) % 1_000_003;
  return sum;
}
