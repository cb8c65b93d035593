// Real clients of both generations, over both transports, against the installed command; docs/clients.md is what this run saw.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, inject, test } from "vitest";
import { expectedOutcome, MATRIX_CLIENTS, STEPS, TRANSPORTS, type Transport } from "../support/matrix-clients.ts";
import { matrixPage } from "./matrix-page.ts";
import { type MatrixRow, runMatrix } from "./matrix-steps.ts";

const cli = inject("installedCli");
let rows: readonly MatrixRow[] = [];

beforeAll(async () => {
  // Both to their end, also if one fails: each takes down what it has started.
  const runs = await Promise.allSettled(TRANSPORTS.map((transport) => runMatrix(cli, transport)));
  rows = runs.flatMap((run) => {
    if (run.status === "rejected") throw run.reason;
    return run.value;
  });
}, 240_000);

const combinations = TRANSPORTS.flatMap((transport) => MATRIX_CLIENTS.map((client) => ({ client, transport, version: client.version })));

test.for(combinations)(
  "$client.package at $version over $transport does all that it offers, and offers no more than is known",
  ({ client, transport }) => {
    expect(endsOf(client, transport)).toEqual(
      Object.fromEntries(STEPS.map((step) => [step, expectedOutcome(client, transport, step)] as const)),
    );
  },
);

test("docs/clients.md says what the clients did in this run", async () => {
  const { devDependencies } = JSON.parse(readFileSync(fileURLToPath(new URL("../../package.json", import.meta.url)), "utf8"));
  const page = matrixPage(rows, devDependencies);
  await expect(page, "docs/clients.md is stale; npm run docs:clients writes it anew").toMatchFileSnapshot("../../docs/clients.md");
});

function endsOf(client: MatrixRow["client"], transport: Transport): MatrixRow["ends"] | undefined {
  return rows.find((row) => row.client === client && row.transport === transport)?.ends;
}
