/** Speed of the redactor with 20 secrets, on bodies of several kinds: `npx node bench/redactor.ts`. */
import { randomBytes } from "node:crypto";
import { createRedactor } from "../src/egress/redactor.ts";
import { secretForms } from "../src/egress/secret-forms.ts";

const MIB = 1 << 20;
const plain = Array.from({ length: 20 }, () => randomBytes(20).toString("hex"));
const awkward = Array.from({ length: 20 }, () => `p/ä+"<${randomBytes(20).toString("base64")}`);
const rows = Array.from({ length: 40_000 }, (_, id) => ({
  id,
  name: `Some product ${id}`,
  url: `https://example.com/${id}`,
  price: id * 1.5,
}));
const bodies: Readonly<Record<string, Buffer>> = {
  random: randomBytes(5 * MIB),
  base64: Buffer.from(randomBytes(4 * MIB).toString("base64")),
  hex: Buffer.from(randomBytes(2.5 * MIB).toString("hex")),
  json: Buffer.from(JSON.stringify(rows)),
  percent: Buffer.from("%41%42%43".repeat(500_000)),
};

for (const [name, secrets] of Object.entries({ plain, awkward })) {
  const startedAt = performance.now();
  const redactor = createRedactor(secrets.flatMap((secret) => [secret, `Bearer ${secret}`]));
  const buildMs = performance.now() - startedAt;
  const forms = secrets.reduce((sum, secret) => sum + secretForms(secret).length, 0);
  console.log(`${name}: ${forms} forms, made in ${buildMs.toFixed(1)} ms`);
  for (const [kind, body] of Object.entries(bodies)) console.log(`  ${kind.padEnd(8)} ${speed(redactor.redactBytes, body)} MB/s`);
}

function speed(redact: (bytes: Buffer) => Buffer, body: Buffer): string {
  redact(body);
  const startedAt = performance.now();
  for (let round = 0; round < 3; round++) redact(body);
  const seconds = (performance.now() - startedAt) / 3_000;
  return (body.length / 1e6 / seconds).toFixed(0);
}
