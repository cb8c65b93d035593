/**
 * Reads the body of an answer: capped on the wire and again after each decompression, while it comes in, so that a small
 * answer cannot unfold into a large one and nothing is held twice.
 */
import { pipeline, Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from "node:zlib";
import { ToolError } from "../core/errors.ts";

/** What is read. */
export interface BodyOptions {
  /** `content-encoding` of the answer; `undefined` for none. */
  readonly encoding: string | undefined;
  readonly maxBytes: number;
  /** For messages. */
  readonly host: string;
}

/** The whole body in pieces, decompressed. Throws RESPONSE_TOO_LARGE, or NETWORK_ERROR for a body that is not what its encoding says. */
export async function readBody(source: AsyncIterable<Uint8Array>, { encoding, maxBytes, host }: BodyOptions): Promise<Uint8Array[]> {
  const capped = (chunks: Chunks): Chunks => withCap(chunks, maxBytes, host);
  let chunks = capped(source);
  for (const open of decodersOf(encoding, host)) chunks = capped(unpacked(chunks, open, host));
  return gathered(chunks);
}

/** The error for an answer over its limit. */
export function responseTooLarge(host: string, maxBytes: number): ToolError {
  return new ToolError(
    "RESPONSE_TOO_LARGE",
    `The answer of ${host} is over the limit of ${maxBytes} bytes ("responseBodyBytes" in "limits", at most a quarter of the script's memory). Ask the server for less, in pages for example.`,
    { data: { host, limit: "responseBodyBytes", value: maxBytes } },
  );
}

/** Size of the pieces in which a body is kept, as far as it does not come in larger ones. */
const PIECE_BYTES = 65_536;

/** Layers of compression that are undone: nobody uses more, and each costs time. */
const MAX_CODINGS = 2;

type Chunks = AsyncIterable<Uint8Array>;

/** Makes a decoder; it is told the first byte of what it will get. */
type OpenDecoder = (firstByte: number) => Transform;

/** Decoders by name of the coding. */
const CODINGS: Readonly<Record<string, OpenDecoder>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  // RFC 9110 means zlib format; many servers send bare deflate data.
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  // RFC 9659: a window of at most 8 MiB; the library's own bound is 128 MiB.
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
};

/** In the order of use: the coding that was applied last comes first. */
function decodersOf(encoding: string | undefined, host: string): readonly OpenDecoder[] {
  const codings = (encoding ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  if (codings.length > MAX_CODINGS) throw badEncoding(host, "UNKNOWN_CONTENT_ENCODING", `is compressed more than ${MAX_CODINGS} times`);
  return codings
    .filter((coding) => coding !== "" && coding !== "identity")
    .reverse()
    .map((coding) => {
      const open = Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
      if (open === undefined) throw badEncoding(host, "UNKNOWN_CONTENT_ENCODING", "is compressed in a way that was not asked for");
      return open;
    });
}

async function* withCap(chunks: Chunks, maxBytes: number, host: string): Chunks {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes) throw responseTooLarge(host, maxBytes);
    // An empty piece has no first byte to tell a decoder.
    if (chunk.length > 0) yield chunk;
  }
}

/** Chunks can be of a byte each: kept like that, a body would take a hundred times its size. */
async function gathered(chunks: Chunks): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let piece = Buffer.alloc(0);
  let used = 0;
  let size = 0;
  for await (const chunk of chunks) {
    if (used + chunk.length > piece.length) {
      pieces.push(piece.subarray(0, used));
      // As much again as there is so far, so that a short body stays small.
      piece = Buffer.alloc(Math.max(chunk.length, Math.min(PIECE_BYTES, size)));
      used = 0;
    }
    piece.set(chunk, used);
    used += chunk.length;
    size += chunk.length;
  }
  pieces.push(piece.subarray(0, used));
  return pieces;
}

/** A body without a single byte is not compressed, whatever its headers say. */
async function* unpacked(chunks: Chunks, open: OpenDecoder, host: string): Chunks {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  let sourceError: unknown;
  const all = async function* (): Chunks {
    yield first.value;
    try {
      yield* { [Symbol.asyncIterator]: () => iterator };
    } catch (error) {
      sourceError = error;
      throw error;
    }
  };
  const decoder = open(first.value[0] ?? 0);
  try {
    // Errors come out of the last stream, which is read here; either end that is given up ends the other one.
    yield* pipeline(Readable.from(all()), decoder, () => undefined);
  } catch (error) {
    if (sourceError !== undefined) throw sourceError;
    if (error instanceof ToolError) throw error;
    // No cause: the library's errors may hold the data.
    throw badEncoding(host, "BAD_CONTENT_ENCODING", "cannot be decompressed");
  }
}

function badEncoding(host: string, reason: string, what: string): ToolError {
  return new ToolError("NETWORK_ERROR", `The answer of ${host} ${what}.`, { data: { host, reason } });
}
