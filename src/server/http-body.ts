import type { IncomingMessage } from "node:http";

/** A body, or why there is none: over the limit, or the client went away while sending. */
export type Body = { readonly kind: "bytes"; readonly bytes: Buffer } | { readonly kind: "too-large" } | { readonly kind: "gone" };

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
