import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { ToolError } from "../core/errors.ts";
import { readBody } from "./response-body.ts";

async function* inPieces(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

const options = { maxBytes: 1_000, host: "api.example.com:443" };

async function textOf(pieces: readonly Uint8Array[], encoding: string | undefined, maxBytes = options.maxBytes): Promise<string> {
  return Buffer.concat(await readBody(inPieces(...pieces), { ...options, encoding, maxBytes })).toString();
}

/** The code of the failure, or its reason where it has one. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "no error",
    (error: unknown) => (error instanceof ToolError ? (error.data.reason ?? error.code) : error),
  );
}

const text = "grüße 0123456789 ".repeat(20);
const compressed = {
  gzip: gzipSync(text),
  deflate: deflateSync(text),
  "deflate without a head": deflateRawSync(text),
  br: brotliCompressSync(text),
  zstd: zstdCompressSync(text),
  "gzip, br": brotliCompressSync(gzipSync(text)),
};
const codingOf = (name: string): string => name.replace(" without a head", "");

test.each(Object.entries(compressed))("a body in %s is read wherever the network cuts it", async (name, body) => {
  for (let cut = 0; cut <= body.length; cut++) {
    expect(await textOf([body.subarray(0, cut), body.subarray(cut)], codingOf(name))).toBe(text);
  }
  expect(
    await textOf(
      Array.from(body, (byte) => Buffer.from([byte])),
      codingOf(name),
    ),
  ).toBe(text);
});

test.each(Object.entries(compressed))("a body in %s that ends early is refused, wherever it ends", async (name, body) => {
  for (let length = 1; length < body.length; length++) {
    expect([length, await failureOf(textOf([body.subarray(0, length)], codingOf(name)))]).toEqual([length, "BAD_CONTENT_ENCODING"]);
  }
});

test("the limit counts on the wire and after every layer, to the byte", async () => {
  const size = Buffer.byteLength(text);
  for (const [name, body] of Object.entries(compressed)) {
    expect(await textOf([body], codingOf(name), size)).toBe(text);
    expect([name, await failureOf(textOf([body], codingOf(name), size - 1))]).toEqual([name, "RESPONSE_TOO_LARGE"]);
  }
  const noise = gzipSync(Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 7919) % 251)));
  expect(await failureOf(textOf([noise], "gzip", noise.length - 1))).toBe("RESPONSE_TOO_LARGE");
});

test("a body that comes byte by byte is kept in few pieces", async () => {
  const body = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));
  const bytes = Array.from(body, (byte) => Buffer.from([byte]));
  const pieces = await readBody(inPieces(...bytes), { ...options, encoding: undefined, maxBytes: 20_000 });
  expect(Buffer.concat(pieces).equals(body)).toBe(true);
  expect(pieces.length).toBeLessThan(20);
});

test("a body without a byte is empty, whatever its encoding", async () => {
  for (const encoding of [undefined, "gzip", "br", "zstd", "deflate", "identity", "gzip, br"]) expect(await textOf([], encoding)).toBe("");
});

test("an encoding that nobody asked for is refused, also on an empty body", async () => {
  for (const encoding of ["compress", "gzip, gzip, gzip", "constructor", "__proto__", "gzip;q=1", "gzip gzip"]) {
    expect(await failureOf(textOf([Buffer.from("x")], encoding))).toBe("UNKNOWN_CONTENT_ENCODING");
  }
  expect(await textOf([gzipSync("x")], " GZIP ,")).toBe("x");
});

test("a connection that breaks is told as that, and a decoder never outlives its body", async () => {
  const broken = new Error("broken");
  const source = async function* (): AsyncGenerator<Uint8Array> {
    yield gzipSync(text).subarray(0, 20);
    throw broken;
  };
  expect(await failureOf(readBody(source(), { ...options, encoding: "gzip" }))).toBe(broken);
  let isEnded = false;
  const long = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (let piece = 0; piece < 1_000; piece++) yield Buffer.alloc(100);
    } finally {
      isEnded = true;
    }
  };
  expect(await failureOf(readBody(long(), { ...options, encoding: undefined }))).toBe("RESPONSE_TOO_LARGE");
  expect(isEnded).toBe(true);
  const bomb = gzipSync(Buffer.alloc(1 << 20));
  let isBombEnded = false;
  const bombs = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (let piece = 0; piece < 1_000; piece++) yield bomb.subarray(0, 900);
    } finally {
      isBombEnded = true;
    }
  };
  expect(await failureOf(readBody(bombs(), { ...options, encoding: "gzip" }))).toBe("RESPONSE_TOO_LARGE");
  expect(isBombEnded).toBe(true);
});
