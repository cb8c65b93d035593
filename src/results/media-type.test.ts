import { expect, test } from "vitest";
import { checkMediaType } from "./media-type.ts";

const BYTES: Readonly<Record<string, Buffer>> = {
  "image/png": Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"),
  "image/jpeg": Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
  "image/gif": Buffer.from("GIF89a\x01\0\x01\0", "latin1"),
  "image/webp": Buffer.from("RIFF\x24\0\0\0WEBPVP8 ", "latin1"),
  "image/bmp": Buffer.from("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", "latin1"),
  "image/x-icon": Buffer.from([0, 0, 1, 0, 1, 0]),
  "image/tiff": Buffer.from("II*\0\x08\0\0\0", "latin1"),
  "image/avif": Buffer.from("\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf", "latin1"),
  "image/heic": Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"),
  "image/svg+xml": Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- drawn --><!DOCTYPE svg>\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
  "audio/wav": Buffer.from("RIFF\x24\0\0\0WAVEfmt ", "latin1"),
  "audio/mpeg": Buffer.from([0xff, 0xfb, 0x90, 0x64]),
  "audio/ogg": Buffer.from("OggS\0\x02", "latin1"),
  "audio/flac": Buffer.from("fLaC\0\0\0\x22", "latin1"),
  "audio/mp4": Buffer.from("\0\0\0\x18ftypM4A \0\0\0\0M4A isom", "latin1"),
  "audio/aac": Buffer.from([0xff, 0xf1, 0x50, 0x80]),
  "audio/webm": Buffer.from([0x1a, 0x45, 0xdf, 0xa3]),
  "audio/aiff": Buffer.from("FORM\0\0\0\0AIFF", "latin1"),
  "audio/midi": Buffer.from("MThd\0\0\0\x06\0\x01", "latin1"),
};

test("bytes pass under their own type and under no other of the table", () => {
  for (const [type, bytes] of Object.entries(BYTES)) {
    for (const declared of Object.keys(BYTES)) {
      const verdict = checkMediaType(declared, bytes);
      expect(verdict, `${type} as ${declared}`).toMatchObject(declared === type ? { kind: "ok", mimeType: type } : { kind: "wrong" });
    }
  }
});

test("a wrong label says what the bytes are", () => {
  expect(checkMediaType("image/png", BYTES["image/jpeg"] ?? Buffer.alloc(0))).toEqual({
    kind: "wrong",
    reason: "says image/png, but its bytes are image/jpeg",
  });
});

test("other names of a type, parameters and case become the one name", () => {
  const named = (declared: string, type: string): unknown => checkMediaType(declared, BYTES[type] ?? Buffer.alloc(0));
  expect(named("image/jpg", "image/jpeg")).toEqual({ kind: "ok", mimeType: "image/jpeg" });
  expect(named("Audio/X-WAV", "audio/wav")).toEqual({ kind: "ok", mimeType: "audio/wav" });
  expect(named("audio/ogg; codecs=opus", "audio/ogg")).toEqual({ kind: "ok", mimeType: "audio/ogg" });
  expect(checkMediaType("audio/mp3", Buffer.from("ID3\x04\0", "latin1"))).toEqual({ kind: "ok", mimeType: "audio/mpeg" });
});

test("a type that is not in the table passes as given, but not over bytes of one that is", () => {
  expect(checkMediaType("image/jxl", Buffer.from([0xff, 0x0a, 1, 2]))).toEqual({ kind: "ok", mimeType: "image/jxl" });
  expect(checkMediaType("image/jxl", BYTES["image/gif"] ?? Buffer.alloc(0))).toMatchObject({ kind: "wrong" });
});

test("no bytes, and text that is no type, are refused", () => {
  expect(checkMediaType("image/png", Buffer.alloc(0))).toMatchObject({ kind: "wrong" });
  for (const declared of ["", "png", "image/", "/png", "image/p ng", "image/png\r\nx: y", "a".repeat(300)]) {
    expect(checkMediaType(declared, BYTES["image/png"] ?? Buffer.alloc(0)), declared).toMatchObject({ kind: "wrong" });
  }
});

test("text that only looks like SVG is judged at once, however it repeats", () => {
  const startedAt = performance.now();
  for (const piece of ["<!-- -->", "<?x?>", "<!DOCTYPE a>", "<!--", " ", "<"]) {
    expect(checkMediaType("image/svg+xml", Buffer.from(piece.repeat(100_000)))).toMatchObject({ kind: "wrong" });
  }
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

test("the first bytes of every length are judged without reading past the end", () => {
  for (const [type, bytes] of Object.entries(BYTES)) {
    for (let length = 1; length < bytes.length; length++) expect(() => checkMediaType(type, bytes.subarray(0, length))).not.toThrow();
  }
});
