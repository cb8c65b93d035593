/**
 * Speed of the redactor: `npx node bench/redactor.ts` prints the tables of docs/performance.md. Processor time of the
 * thread, best of several rounds, so that a busy machine changes little.
 */
import { randomBytes } from "node:crypto";
import { createRedactor, type Redactor } from "../src/egress/redactor.ts";
import { secretForms } from "../src/egress/secret-forms.ts";

const MIB = 1 << 20;
const ROUNDS = 5;

const secrets: Readonly<Record<string, readonly string[]>> = {
  "20 keys of 40 hex digits": Array.from({ length: 20 }, () => randomBytes(20).toString("hex")),
  "20 passwords with signs": Array.from({ length: 20 }, () => `p/ä+"<${randomBytes(20).toString("base64")}`),
};

const rows = Array.from({ length: 60_000 }, (_, id) => ({
  id,
  name: `Some product ${id}`,
  url: `https://example.com/${id}`,
  price: id * 1.5,
}));
const bodies: Readonly<Record<string, Buffer>> = {
  JSON: Buffer.from(JSON.stringify(rows)).subarray(0, 5 * MIB),
  "JSON in JSON": Buffer.from(JSON.stringify(JSON.stringify(rows))).subarray(0, 5 * MIB),
  "HTML in JSON": Buffer.from(JSON.stringify(rows.map(({ name, url }) => `<a href="${url}">\n\t${name} &amp; more</a>`))).subarray(
    0,
    5 * MIB,
  ),
  "random bytes": randomBytes(5 * MIB),
  base64: Buffer.from(randomBytes(4 * MIB).toString("base64")).subarray(0, 5 * MIB),
  hex: Buffer.from(randomBytes(2.5 * MIB).toString("hex")),
  "%41%42%43…": Buffer.from("%41%42%43".repeat(600_000)).subarray(0, 5 * MIB),
};

/** Values and bodies that repeat themselves: nearly everything matches nearly everywhere. */
const worst: Readonly<Record<string, readonly [secret: string, body: Buffer]>> = {
  '"X" + "ab" × 2,047 against "ab…"': [`X${"ab".repeat(2_047)}`, Buffer.from("ab".repeat(2.5 * MIB))],
  "the same with the X in the middle": [`${"ab".repeat(1_000)}X${"ab".repeat(1_000)}`, Buffer.from("ab".repeat(2.5 * MIB))],
  "a body that is the value again and again": ["ab".repeat(2_000), Buffer.from("ab".repeat(2.5 * MIB))],
  'the longest value (64 KiB) against "ab…"': [`${"ab".repeat(32_767)}X`, Buffer.from("ab".repeat(2.5 * MIB))],
};

const PIECE = 64 * 1024;

function streamed(redactor: Redactor, body: Buffer): void {
  const stream = redactor.stream();
  for (let at = 0; at < body.length; at += PIECE) stream.write(body.subarray(at, at + PIECE));
  stream.end();
}

/** Least processor time of a run, in milliseconds. Short ones are run many times: the clock ticks a few times a millisecond at best. */
function bestMs(run: () => void): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.threadCpuUsage();
    let runs = 0;
    let spentMs = 0;
    while (spentMs < 40) {
      run();
      runs += 1;
      const { user, system } = process.threadCpuUsage(before);
      spentMs = (user + system) / 1_000;
    }
    return spentMs / runs;
  });
  return Math.min(...times);
}

const speed = (body: Buffer, run: () => void): string => (body.length / 1e3 / bestMs(run)).toFixed(0);

console.log(`Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}; bodies of 5 MiB, MB/s of processor time\n`);
console.log("| body | copied only | 20 keys, whole | in pieces of 64 KiB | 20 passwords, whole | in pieces of 64 KiB |");
console.log("| --- | --- | --- | --- | --- | --- |");
const redactors = Object.values(secrets).map((values) => createRedactor(values.flatMap((value) => [value, `Bearer ${value}`])));
for (const [name, body] of Object.entries(bodies)) {
  const cells = redactors.flatMap((redactor) => [
    speed(body, () => redactor.redactBytes(body)),
    speed(body, () => streamed(redactor, body)),
  ]);
  console.log(`| ${[name, speed(body, () => Buffer.from(body)), ...cells].join(" | ")} |`);
}

console.log("\n| made for | forms | KiB of forms | ms |\n| --- | --- | --- | --- |");
const long = { "one value of 4 KiB": ["k/3+ä".repeat(819)], "one value of 64 KiB": ["k/3+ä".repeat(13_107)] };
for (const [name, values] of Object.entries({ ...secrets, ...long })) {
  const forms = values.flatMap(secretForms);
  const kib = forms.reduce((sum, form) => sum + form.bytes.length, 0) / 1_024;
  console.log(`| ${name} | ${forms.length} | ${kib.toFixed(0)} | ${bestMs(() => createRedactor(values)).toFixed(1)} |`);
}

console.log("\n| worst cases, 5 MiB | ms |\n| --- | --- |");
for (const [name, [secret, body]] of Object.entries(worst)) {
  const redactor = createRedactor([secret]);
  console.log(`| ${name} | ${bestMs(() => redactor.redactBytes(body)).toFixed(0)} |`);
}
