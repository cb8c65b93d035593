/** HTTP by hand over a socket, for requests that no client would send. Loopback only. */
import { connect, type Socket } from "node:net";

/** An answer as it came. */
export interface RawAnswer {
  /** 0 if the connection was closed without an answer. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly text: string;
}

/** Sends the bytes and reads until the server closes; requests should ask for that (`Connection: close`). */
export async function rawExchange(port: number, bytes: string | Buffer, host = "127.0.0.1"): Promise<RawAnswer> {
  const socket = connect({ port, host });
  socket.write(bytes);
  return readAnswer(socket);
}

/** Reads what the server sends until it closes the connection. */
export async function readAnswer(socket: Socket): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A server that refuses early may reset the connection; what was read until then counts.
  socket.on("error", () => undefined);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  socket.on("close", () => resolve());
  if (!socket.closed) await closed;
  return parseAnswer(Buffer.concat(chunks).toString("utf8"));
}

/** A request with these headers; a body gets its length unless a header says otherwise. */
export function rawRequest(line: string, headers: readonly (readonly [string, string])[], body: string | Buffer = ""): Buffer {
  const bytes = Buffer.from(body);
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const own: (readonly [string, string])[] = [["Connection", "close"]];
  if (bytes.length > 0 && !names.has("content-length") && !names.has("transfer-encoding"))
    own.push(["Content-Length", String(bytes.length)]);
  const head = [line, ...[...headers, ...own].map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end === -1 ? undefined : end).split("\r\n");
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]));
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0), headers, body: end === -1 ? "" : text.slice(end + 4), text };
}
