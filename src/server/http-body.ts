import type { IncomingMessage } from "node:http";

/** A body, or why there is none: over the limit, or the client went away while sending. */
export type Body = { readonly kind: "bytes"; readonly bytes: Buffer } | { readonly kind: "too-large" } | { readonly kind: "gone" };

/**
 * Bytes of a refused body that are read and thrown away before the connection is cut. Most clients read the answer only
 * after they have sent everything, and to close on them earlier resets the connection with the answer in it.
 */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

/**
 * Throws away what still comes of a body whose request is answered already, so that its client gets to read the answer.
 * Beyond `maxBytes` the connection is cut; how long it may take is bounded by the server's time for a whole request.
 */
export function discardRest(request: IncomingMessage, maxBytes: number = MAX_DISCARDED_BYTES): void {
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) request.destroy();
  });
}

/** Reads the whole body, at most `maxBytes`; what comes after that is not kept. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const { promise, resolve } = Promise.withResolvers<Body>();
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) {
      chunks.push(chunk);
      return;
    }
    chunks.length = 0;
    resolve({ kind: "too-large" });
  });
  request.on("end", () => resolve({ kind: "bytes", bytes: Buffer.concat(chunks) }));
  // Also after "end", where it changes nothing any more.
  request.on("close", () => resolve({ kind: "gone" }));
  request.on("error", () => resolve({ kind: "gone" }));
  return promise;
}
