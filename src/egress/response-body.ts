/**
 * Reads the body of an answer: capped on the wire and again after decompression, so that a small answer cannot unfold
 * into a large one.
 */
import { promisify } from "node:util";
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";
import { ToolError } from "../core/errors.ts";

/** What is read. */
export interface BodyOptions {
  /** `content-encoding` of the answer; `undefined` for none. */
  readonly encoding: string | undefined;
  readonly maxBytes: number;
  /** For messages. */
  readonly host: string;
}

/** The whole body, decompressed. Throws RESPONSE_TOO_LARGE, or NETWORK_ERROR for a body that is not what its encoding says. */
export async function readBody(source: AsyncIterable<Uint8Array>, { encoding, maxBytes, host }: BodyOptions): Promise<Buffer> {
  let body = await collect(source, maxBytes, host);
  if (body.length === 0) return body;
  const codings = (encoding ?? "").toLowerCase().split(",");
  if (codings.length > MAX_CODINGS) throw badEncoding(host, "UNKNOWN_CONTENT_ENCODING", `is compressed more than ${MAX_CODINGS} times`);
  for (const coding of codings.map((name) => name.trim()).reverse()) body = await decode(body, coding, maxBytes, host);
  return body;
}

/** The error for an answer over its limit. */
export function responseTooLarge(host: string, maxBytes: number): ToolError {
  return new ToolError(
    "RESPONSE_TOO_LARGE",
    `The answer of ${host} is over the limit of ${maxBytes} bytes ("responseBodyBytes" in "limits", at most a quarter of the script's memory). Ask the server for less, in pages for example.`,
    { data: { host, limit: "responseBodyBytes", value: maxBytes } },
  );
}

/** Layers of compression that are undone: nobody uses more, and each costs time. */
const MAX_CODINGS = 2;

/** Decompression by name of the coding, at most so many bytes. */
const CODINGS: Readonly<Record<string, (body: Buffer, maxOutputLength: number) => Promise<Buffer>>> = {
  gzip: (body, maxOutputLength) => promisify<Buffer, object, Buffer>(gunzip)(body, { maxOutputLength }),
  "x-gzip": (body, maxOutputLength) => promisify<Buffer, object, Buffer>(gunzip)(body, { maxOutputLength }),
  // RFC 9110 means zlib format; many servers send bare deflate data.
  deflate: (body, maxOutputLength) =>
    promisify<Buffer, object, Buffer>(((body[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(body, { maxOutputLength }),
  br: (body, maxOutputLength) => promisify<Buffer, object, Buffer>(brotliDecompress)(body, { maxOutputLength }),
  // RFC 9659: a window of at most 8 MiB; the library's own bound is 128 MiB.
  zstd: (body, maxOutputLength) =>
    promisify<Buffer, object, Buffer>(zstdDecompress)(body, { maxOutputLength, params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
};

async function collect(source: AsyncIterable<Uint8Array>, maxBytes: number, host: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes) throw responseTooLarge(host, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

async function decode(body: Buffer, coding: string, maxBytes: number, host: string): Promise<Buffer> {
  if (coding === "" || coding === "identity") return body;
  const run = Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
  if (run === undefined) throw badEncoding(host, "UNKNOWN_CONTENT_ENCODING", "is compressed in a way that was not asked for");
  try {
    return await run(body, maxBytes);
  } catch (error) {
    const isTooLarge = error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    // No cause: the library's errors may hold the data.
    throw isTooLarge ? responseTooLarge(host, maxBytes) : badEncoding(host, "BAD_CONTENT_ENCODING", "cannot be decompressed");
  }
}

function badEncoding(host: string, reason: string, what: string): ToolError {
  return new ToolError("NETWORK_ERROR", `The answer of ${host} ${what}.`, { data: { host, reason } });
}
