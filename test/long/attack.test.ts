// The attack on the secrets over both transports, with the figures kept as docs/evidence/attack.json.
import { expect, test } from "vitest";
import { runAttack } from "../attack/attack.ts";
import { expectHeld, RECEIVED } from "../attack/held.ts";
import { writeEvidence } from "./evidence.ts";

test("all 22 ways out fail over stdio and over HTTP", async () => {
  const figures: Record<string, unknown> = {};
  for (const transport of ["stdio", "http"] as const) {
    const report = await runAttack(transport);
    expectHeld(report);
    expect(report.received).toEqual(RECEIVED);
    figures[transport] = { ...report.searched, found: report.found.length, secretsReceivedByTheirApi: report.received.length };
    figures.rows = report.rows.map(({ row, attack }) => `${row}. ${attack}`);
  }
  writeEvidence("attack", figures, { stdio: figures.stdio, http: figures.http });
});
