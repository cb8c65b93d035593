import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineReader, idOfLongRequest, type Line } from "./line-reader.ts";

function read(maxBytes: number, chunks: readonly Buffer[]): readonly Line[] {
  const reader = createLineReader(maxBytes);
  return chunks.flatMap((chunk) => reader.push(chunk));
}

function described(lines: readonly Line[]): readonly string[] {
  return lines.map((line) => (line.kind === "line" ? line.bytes.toString("utf8") : "(too long)"));
}

test("lines come out the same however the bytes are cut into chunks", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.replaceAll("\n", " "));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(40), { maxLength: 30 }), (lines, sizes) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const chunks: Buffer[] = [];
      let start = 0;
      for (const size of sizes) {
        chunks.push(bytes.subarray(start, start + size));
        start += size;
      }
      chunks.push(bytes.subarray(start));
      expect(described(read(1_000, chunks))).toEqual(lines);
    }),
  );
});

test("a line over the limit is thrown away, in one chunk or in many, and the next one is read", () => {
  const long = "x".repeat(101);
  expect(described(read(100, [Buffer.from(`${"y".repeat(100)}\n${long}\nnext\n`)]))).toEqual(["y".repeat(100), "(too long)", "next"]);
  expect(
    described(
      read(
        100,
        [...`${long}\nnext\n`].map((text) => Buffer.from(text)),
      ),
    ),
  ).toEqual(["(too long)", "next"]);
});

test("a line of 64 MiB keeps no more than its ends, and costs linear time", () => {
  const chunk = Buffer.alloc(64 * 1024, "x");
  const reader = createLineReader(1_000_000);
  const before = process.memoryUsage().arrayBuffers;
  for (let index = 0; index < 1_024; index++) expect(reader.push(chunk)).toEqual([]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000);
  expect(described(reader.push(Buffer.from("\n")))).toEqual(["(too long)"]);
});

test("the id of a long request is found where SDKs write it, and nowhere else", () => {
  const id = (head: string, tail: string) => idOfLongRequest(Buffer.from(head), Buffer.from(tail));
  expect(id('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":"', 'x"}}')).toBe(7);
  expect(id('{"id":"a-1","method":"tools/call","params":{"a":"', 'x"}}')).toBe("a-1");
  expect(id('{"method":"tools/call","params":{"a":"', 'x"},"jsonrpc":"2.0","id":12}')).toBe(12);
  expect(id('{"jsonrpc":"2.0","method":"tools/call","id":3,"params":{"a":"', 'x"}}')).toBe(3);
  expect(id('{"method":"tools/call","params":{"a":"', 'x","id":12}}')).toBe(null);
  expect(id('{"jsonrpc":"2.0","id":7,"result":{"a":"', 'x"}}')).toBe(null);
  expect(id('{"jsonrpc":"2.0","params":{"id":7,"a":"', 'x"}}')).toBe(null);
});
