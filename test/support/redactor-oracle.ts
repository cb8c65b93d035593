/** What the redactor is compared with: a search in the plainest way, and bodies that make it hard. */
import fc from "fast-check";
import { createRedactor } from "../../src/egress/redactor.ts";
import { type SecretForm, secretForms } from "../../src/egress/secret-forms.ts";

/** What the redactor must make of bytes, in the plainest way: every form is looked for at every place. */
export function maskedByOracle(bytes: Buffer, values: readonly string[]): Buffer {
  const isMasked = new Uint8Array(bytes.length);
  for (const form of values.flatMap(secretForms)) {
    for (let at = bytes.indexOf(form.bytes); at >= 0; at = bytes.indexOf(form.bytes, at + 1)) {
      const [start, end] = withEdges(bytes.toString("latin1"), at, at + form.bytes.length, form);
      isMasked.fill(1, start, end);
    }
  }
  const out: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    if (isMasked[at] === 0) out.push(bytes[at] ?? 0);
    else if (at === 0 || isMasked[at - 1] === 0) out.push(...Buffer.from("[redacted]"));
  }
  return Buffer.from(out);
}

function withEdges(text: string, start: number, end: number, { mixesBefore, mixesAfter }: SecretForm): readonly [number, number] {
  const before = /(?:%2[BFbf]|\\\/|[A-Za-z0-9+/_-])$/u.exec(text.slice(Math.max(0, start - 3), start))?.[0].length ?? 0;
  const after = /^(?:%2[BFbf]|\\\/|[A-Za-z0-9+/_-])/u.exec(text.slice(end, end + 3))?.[0].length ?? 0;
  return [mixesBefore ? start - before : start, mixesAfter ? end + after : end];
}

/** The bytes through a stream, cut at these places (of any order and size). */
export function maskedInPieces(bytes: Buffer, values: readonly string[], cuts: readonly number[]): Buffer {
  const stream = createRedactor(values).stream();
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((one, other) => one - other);
  const pieces = places.slice(1).map((place, index) => stream.write(Buffer.from(bytes.subarray(places[index] ?? 0, place))));
  return Buffer.concat([...pieces, stream.end()]);
}

// Few letters, so that values repeat themselves, contain each other, and begin where others end.
const word = fc.string({ unit: fc.constantFrom("a", "b", "/", "ä"), minLength: 8, maxLength: 24 });
const repeating = fc.tuple(
  fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 }),
  fc.integer({ min: 8, max: 90 }),
  word,
);
const value = fc.oneof(
  word,
  repeating.map(([unit, times, end]) => unit.repeat(times) + end),
  repeating.map(([unit, times, end]) => end + unit.repeat(times)),
  repeating.map(([unit, times]) => unit.repeat(times).padEnd(8, "a")),
  fc.string({ unit: "binary-ascii", minLength: 7, maxLength: 100 }),
  fc.string({ unit: "binary", minLength: 8, maxLength: 30 }),
  fc.string({ minLength: 6, maxLength: 40 }).map((text) => `Basic ${Buffer.from(`user:${text}`).toString("base64")}`),
);
const related = fc
  .array(value, { minLength: 1, maxLength: 4 })
  .map((values) => values.flatMap((text, index) => (index % 2 === 0 ? [text] : [text, text.slice(1), (values[0] ?? "") + text])));

/** A body made of forms, pieces of forms, encodings with neighbours, and noise. */
const bodyOf = (values: readonly string[]): fc.Arbitrary<Buffer> => {
  const forms = values.flatMap(secretForms).map((form) => form.bytes);
  const form = fc.constantFrom(...(forms.length > 0 ? forms : [Buffer.from("x")]));
  const part = fc.tuple(form, fc.nat(), fc.nat()).map(([bytes, from, to]) => bytes.subarray(from % bytes.length, to % bytes.length));
  const encoded = fc
    .tuple(fc.string({ maxLength: 4 }), fc.constantFrom(...values), fc.string({ maxLength: 4 }))
    .map(([before, text, after]) =>
      Buffer.from(
        Buffer.from(before + text + after)
          .toString("base64")
          .replaceAll("/", "%2F"),
      ),
    );
  const noise = fc.constantFrom("a", "b", "ab", "/", "%2B", "%2f", "\\/", "=", "é", "A").map((text) => Buffer.from(text));
  return fc
    .array(fc.oneof({ weight: 3, arbitrary: form }, part, encoded, { weight: 2, arbitrary: noise }), { maxLength: 12 })
    .map((parts) => Buffer.concat(parts));
};
/** Values, a body, and places to cut it at. */
export const maskings = related.chain((values) => fc.tuple(fc.constant(values), bodyOf(values), fc.array(fc.nat(), { maxLength: 8 })));
