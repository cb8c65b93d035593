/** What has to hold after an attack, over either transport. */
import { expect } from "vitest";
import type { AttackReport } from "./attack.ts";

/** The secrets that the API must have been sent: else the attack had nothing to find. The others are bound or meant otherwise. */
export const RECEIVED = [
  "API_KEY",
  "LATIN_KEY",
  "JWT_KEY",
  "SHORT_KEY",
  "LONG_KEY",
  "USER_NAME",
  "PASS_WORD",
  "MAPS_KEY",
  "CLIENT_ID",
  "CLIENT_SECRET",
  "PATH_KEY",
  "TWO_KEY",
  "NESTED_KEY",
  "ISSUED_TOKEN",
];

/** Fails with the row, or with the places where a secret was found. */
export function expectHeld({ rows, found, searched }: AttackReport): void {
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 22 }, (_, at) => at + 1));
  for (const { row, attack, outcome, expected } of rows) expect(outcome, `row ${row}: ${attack}`).toEqual(expected);
  expect(found).toEqual([]);
  expect(searched.files).toBeGreaterThanOrEqual(8);
  expect(searched.streamBytes).toBeGreaterThan(100_000);
  expect(searched.processes).toBeGreaterThanOrEqual(1);
  expect(searched.memoryBytes).toBeGreaterThan(20_000_000);
}
