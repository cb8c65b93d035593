import fc from "fast-check";
import { expect, test } from "vitest";
import { maskedInPieces, maskings } from "../../test/support/redactor-oracle.ts";
import { TEXT_ENCODERS } from "../../test/support/secret-encoders.ts";
import { createRedactor } from "./redactor.ts";
import { secretForms } from "./secret-forms.ts";

test("the redactor, in one and in pieces, masks a value in every encoding of other programs, and nothing else", () => {
  // Thousands of these are in test/long.
  fc.assert(
    fc.property(maskings, ({ value, body, expected, cuts }) => {
      const whole = createRedactor([value]).redactBytes(body).toString();
      expect(whole).toMatch(expected);
      expect(maskedInPieces(body, [value], cuts).toString()).toBe(whole);
    }),
    { numRuns: 300 },
  );
}, 30_000);

test("every form is masked, byte by byte too, and the longest whichever byte it is cut at", () => {
  const secret = "sk/live+\"0<1&2>'3 4\\5=ä";
  const redactor = createRedactor([secret]);
  const forms = secretForms(secret).map((form) => form.bytes);
  for (const form of forms) {
    const text = Buffer.concat([Buffer.from(". "), form, Buffer.from(" .")]);
    expect(redactor.redactBytes(text).toString()).toBe(". [redacted] .");
    const stream = redactor.stream();
    const single = Buffer.concat([...Array.from(text, (byte) => stream.write(Buffer.from([byte]))), stream.end()]);
    expect(single.toString()).toBe(". [redacted] .");
  }
  const longest = forms.toSorted((one, other) => other.length - one.length)[0] ?? Buffer.alloc(0);
  expect(longest.length).toBeGreaterThan(64);
  for (let cut = 0; cut <= longest.length; cut++) {
    const stream = redactor.stream();
    const parts = [stream.write(longest.subarray(0, cut)), stream.write(longest.subarray(cut)), stream.end()];
    expect(Buffer.concat(parts).toString()).toBe("[redacted]");
  }
});

test("the characters of base64 that mix the value with its neighbours are masked with it", () => {
  const key = "canary-0123456789";
  const redactor = createRedactor([key]);
  const shown = (before: string, after: string): string => redactor.redactText(`<${Buffer.from(before + key + after).toString("base64")}>`);
  // What is left is what the neighbours are made of, and nothing of the value.
  expect(["", "u", "us", "use", "user:"].map((before) => shown(before, ""))).toEqual([
    "<[redacted]=>",
    "<d[redacted]>",
    "<dX[redacted]==>",
    "<dXNl[redacted]=>",
    "<dXNlcj[redacted]==>",
  ]);
  expect(shown("user:", "x")).toBe("<dXNlcj[redacted]g=>");
  expect(redactor.redactText(`${encodeURIComponent("ab+")}${Buffer.from(`x${key}`).toString("base64").slice(2)}`)).toBe("ab[redacted]");
});

test("a long value in base64 is masked with its edges wherever the stream is cut, and where it overlaps itself", () => {
  // So long that its forms are searched for beyond their heads.
  const key = "0123456789-canary-".repeat(6);
  const text = Buffer.from(`<${Buffer.from(`u${key}!`).toString("base64url")}>`);
  const whole = "<d[redacted]E>";
  for (let cut = 0; cut <= text.length; cut++) {
    const stream = createRedactor([key]).stream();
    const parts = [stream.write(text.subarray(0, cut)), stream.write(text.subarray(cut)), stream.end()];
    expect([cut, Buffer.concat(parts).toString()]).toEqual([cut, whole]);
  }
  expect(createRedactor(["ab".repeat(50)]).redactText(`${"ab".repeat(75)}a-`)).toBe("[redacted]a-");
});

test("a stream gives out what is certain at once, and holds back what may be the begin of a secret", () => {
  const key = "k".repeat(10) + "0123456789".repeat(30);
  const stream = createRedactor([key]).stream();
  const given: Buffer[] = [stream.write(Buffer.from("x".repeat(1_000)))];
  expect(given[0]?.length).toBeGreaterThan(900);
  given.push(stream.write(Buffer.from(key.slice(0, 200))), stream.write(Buffer.from(key.slice(200, -1))));
  expect(Buffer.concat(given).toString()).toMatch(/^x+$/u);
  // It was another text after all.
  given.push(stream.write(Buffer.from("!".repeat(100))));
  expect(Buffer.concat(given).toString()).toContain(`x${key.slice(0, -1)}!`);
  given.push(stream.end());
  expect(Buffer.concat(given).toString()).toBe("x".repeat(1_000) + key.slice(0, -1) + "!".repeat(100));
});

test("a value that itself looks escaped, and one written in Latin-1 and UTF-8 at once, are masked; all but one character is not", () => {
  const masked = (value: string, text: string): string => createRedactor([value]).redactText(text);
  expect(masked('100%41"sure\\n', '100%41\\"sure\\\\n')).toBe("[redacted]");
  expect(masked("p\u00e4ssw\u00f6rd-1", "p%E4ssw\u00f6rd-1 p&#228;ssw%C3%B6rd-1 p\u00e4ssw\\xf6rd%2d1")).toBe(
    "[redacted] [redacted] [redacted]",
  );
  expect(masked("q8Zm+YmFy/Zm9v", "q8Zm%2BYmFy/Zm9w q8Zm\\u002BYmFyZm9v q8Zm&plus;YmFy\\/Zm9")).not.toContain("[redacted]");
  expect(masked("k&y%0 1'2\"3-4", "k\\&y\\%0 1\\'2\\\"3-4 k&y%0 1''2\"3-4")).toBe("[redacted] [redacted]");
});

test("a value whose last sign begins an escape with what follows it is masked but for that sign", () => {
  const shown = (secret: string, text: string): string => createRedactor([secret]).redactText(text);
  expect(shown('canary"0123\\', 'title=canary&quot;0123\\">')).toBe('title=[redacted]\\">');
  expect(shown("canary<0123%", "canary&lt;0123%41")).toBe("[redacted]%41");
});

test("a value escaped twice or three times is masked byte by byte as it is at once", () => {
  const secret = "sk/live+\"0<1&2>'3 4\\5=\u00e4";
  const redactor = createRedactor([secret]);
  const encoders = Object.entries(TEXT_ENCODERS);
  for (const [inner, encode] of encoders) {
    for (const [outer, encodeAgain] of encoders) {
      const twice = encodeAgain(encode(secret));
      for (const text of [twice, JSON.stringify(twice).slice(1, -1)]) {
        const stream = redactor.stream();
        const pieces = Array.from(Buffer.from(`<${text}>`), (byte) => stream.write(Buffer.from([byte])));
        expect([inner, outer, Buffer.concat([...pieces, stream.end()]).toString()]).toEqual([inner, outer, "<[redacted]>"]);
      }
    }
  }
});

/** Text that is nothing but escapes, parts of them, or nearly the value. */
const escapesOnly = ["%", "%25", "%25252525", "\\", "&", "&#0", "&amp", "&amp;", "&amp;amp;amp;", "\\u00", "%2B", "%61%62", '\\\\"q8Zm'];
const nearMatches = ["q8Zm%2BYmFy/Zm9v=%3", `${"ab".repeat(300)}&amp;`, `${"ab".repeat(600)}\\/`, `${"ab".repeat(4_000)}%2B`];

test("nothing that looks escaped makes it slow, whatever the value's length, nor in small pieces", () => {
  // The last is under way in every text of "ab".
  for (const secret of ["q8Zm+YmFy/Zm9v==", "k/3+\u00e4".repeat(819), `${"ab".repeat(32_767)}X`]) {
    const redactor = createRedactor([secret]);
    for (const unit of [...escapesOnly, ...nearMatches]) {
      const body = Buffer.alloc(MIB / 4, unit);
      const stream = redactor.stream();
      const spent = processorMs(() => {
        redactor.redactBytes(body);
        for (let at = 0; at < body.length; at += 1_000) stream.write(body.subarray(at, at + 1_000));
        stream.end();
      });
      // Linear: at most 0.1 s on an idle machine.
      expect(spent, `${secret.slice(0, 8)} in ${unit.slice(-30)}`).toBeLessThan(1_000);
    }
  }
});

test("a text without a secret comes back as the same object, and short values are not looked for", () => {
  const clean = Buffer.from("nothing to see");
  expect(createRedactor(["canary-0123456789", "short"]).redactBytes(clean)).toBe(clean);
  expect(createRedactor([]).redactBytes(clean)).toBe(clean);
  expect(createRedactor(["short"]).redactText("short")).toBe("short");
});

/** Processor time of this thread in milliseconds: what a busy machine adds does not count. */
function processorMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const MIB = 1 << 20;
const worst: Readonly<Record<string, readonly [secret: string, body: Buffer]>> = {
  "a value and a body that repeat themselves": [`X${"ab".repeat(2_047)}`, Buffer.from("ab".repeat(MIB / 2))],
  "a value that differs only in its middle": [`${"ab".repeat(1_000)}X${"ab".repeat(1_000)}`, Buffer.from("ab".repeat(MIB / 2))],
  "a body that is nothing but the value": ["ab".repeat(2_000), Buffer.from("ab".repeat(MIB / 2))],
  "the longest value there is": [`${"ab".repeat(32_767)}X`, Buffer.from("ab".repeat(MIB / 2))],
};

test.each(Object.keys(worst))("%s does not make it slow", (name) => {
  const [secret = "", body = Buffer.alloc(0)] = worst[name] ?? [];
  const redactor = createRedactor([secret]);
  // Linear: about 50 ms for a MiB on an idle machine. Compared at every place anew it would be seconds.
  expect(processorMs(() => redactor.redactBytes(body))).toBeLessThan(1_000);
});

test("forms of the longest value are few, and made within a tenth of a second", () => {
  const secret = Buffer.alloc(48 * 1024, "k/3+ä")
    .toString("latin1")
    .padEnd(65_536, "x");
  let bytes = 0;
  expect(
    processorMs(() => {
      bytes = secretForms(secret).reduce((sum, form) => sum + form.bytes.length, 0);
    }),
  ).toBeLessThan(300);
  expect(bytes).toBeLessThan(6 * MIB);
  // The usual notations of it are masked all the same.
  const redactor = createRedactor([secret]);
  const notations = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), Buffer.from(secret).toString("hex")];
  for (const text of notations) expect(redactor.redactText(text)).toBe("[redacted]");
  expect(redactor.redactText(Buffer.from(`a${secret}`).toString("base64"))).toMatch(/^.{0,2}\[redacted\]=*$/u);
});
