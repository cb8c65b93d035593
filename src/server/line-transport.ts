import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { parseJsonBytes } from "./json-text.ts";
import { createLineReader, idOfLongRequest, type Line, type LineReader, MAX_MESSAGE_BYTES } from "./line-reader.ts";
import { createOpening } from "./stdio-opening.ts";
import { INVALID_REQUEST, toWireMessage, type WireError, wireErrorBody } from "./wire-message.ts";

/** Why a connection over stdio ended. */
export type StdioEnd = "stdin-end" | "stdout-error" | "parent-gone" | "closed";

/** Answers not taken by the client beyond this many bytes stop the reading of further requests until it takes some. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** After stdin's end, what was asked before may still be answered for this long, in milliseconds (`printf … | toolyard serve`). */
const ANSWER_AFTER_END_MS = 500;

/** Streams and limits of a transport. */
export interface LineTransportOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Default {@link MAX_MESSAGE_BYTES}. */
  readonly maxMessageBytes?: number;
  /** Called once, when the connection is over. */
  readonly onEnd: (reason: StdioEnd) => void;
}

/**
 * JSON-RPC messages as lines over two streams, as the SDK's transport, but linear in the size of a message, and with an
 * answer for what cannot be read or served (too long, not JSON, a batch, of a version that is not served) in place of silence or the end of the connection.
 * The SDK starts it. The streams stay open: they belong to the process.
 */
export class LineTransport implements Transport, Disposable {
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  onmessage: Transport["onmessage"];
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #maxMessageBytes: number;
  readonly #onEnd: (reason: StdioEnd) => void;
  readonly #reader: LineReader;
  readonly #admit = createOpening();
  readonly #unanswered = new Set<string | number>();
  #isClosed = false;
  #graceTimer: NodeJS.Timeout | undefined;

  constructor({ stdin, stdout, maxMessageBytes = MAX_MESSAGE_BYTES, onEnd }: LineTransportOptions) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#maxMessageBytes = maxMessageBytes;
    this.#onEnd = onEnd;
    this.#reader = createLineReader(maxMessageBytes);
  }

  async start(): Promise<void> {
    const stdin = this.#stdin;
    // These stay attached: a write that fails after the end must not become an uncaught error.
    this.#stdout.on("error", () => this.end("stdout-error"));
    this.#stdout.on("close", () => this.end("stdout-error"));
    stdin.on("error", () => this.end("stdin-end"));
    stdin.on("end", this.#onStdinEnd);
    stdin.on("close", this.#onStdinEnd);
    stdin.on("data", this.#onData);
    if (stdin.readableEnded || stdin.destroyed) setImmediate(this.#onStdinEnd);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(message);
    if ("method" in message || message.id === undefined) return;
    this.#unanswered.delete(message.id);
    if (this.#graceTimer !== undefined && this.#unanswered.size === 0) this.end("stdin-end");
  }

  async close(): Promise<void> {
    this.end("closed");
  }

  /** Ends the connection for this reason; the first one counts. */
  end(reason: StdioEnd): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#graceTimer);
    this.#stdin.off("data", this.#onData);
    this.#stdin.pause();
    this.onclose?.();
    this.#onEnd(reason);
  }

  [Symbol.dispose](): void {
    this.end("closed");
  }

  readonly #onData = (chunk: Buffer): void => {
    for (const line of this.#reader.push(chunk)) if (!this.#isClosed) this.#receive(line);
  };

  readonly #onStdinEnd = (): void => {
    if (this.#isClosed || this.#graceTimer !== undefined) return;
    this.#receiveRest();
    if (this.#unanswered.size === 0) this.end("stdin-end");
    else this.#graceTimer = setTimeout(() => this.end("stdin-end"), ANSWER_AFTER_END_MS);
  };

  /** What prints a message into a pipe often ends no line. Half a message is what a client that died left: nobody waits for an answer. */
  #receiveRest(): void {
    const bytes = this.#reader.rest();
    if (bytes !== undefined && parseJsonBytes(bytes).kind !== "syntax") this.#receive({ kind: "line", bytes });
  }

  #receive(line: Line): void {
    if (line.kind === "too-long") {
      this.#write(wireErrorBody(tooLong(line, this.#maxMessageBytes)));
      return;
    }
    if (isBlank(line.bytes)) return;
    const read = toWireMessage(parseJsonBytes(line.bytes));
    if (read.kind === "refused") {
      this.#write(wireErrorBody(read.error));
      return;
    }
    const admission = this.#admit(read.message);
    if (admission.kind === "refuse") this.#write(wireErrorBody(admission.error));
    if (admission.kind !== "pass") return;
    noteIncoming(this.#unanswered, read.message);
    this.onmessage?.(read.message);
  }

  #write(value: unknown): void {
    if (this.#isClosed) return;
    this.#stdout.write(`${JSON.stringify(value)}\n`);
    if (this.#stdout.writableLength <= MAX_UNREAD_BYTES || this.#stdin.isPaused()) return;
    this.#stdin.pause();
    this.#stdout.once("drain", () => {
      if (!this.#isClosed) this.#stdin.resume();
    });
  }
}

function noteIncoming(unanswered: Set<string | number>, message: JSONRPCMessage): void {
  if (!("method" in message)) return;
  if ("id" in message) {
    // A subscription is answered when it ends, which it does not by itself.
    if (message.method !== "subscriptions/listen") unanswered.add(message.id);
  } else if (message.method === "notifications/cancelled") {
    // A cancelled request gets no answer.
    const id: unknown = message.params?.requestId;
    if (typeof id === "string" || typeof id === "number") unanswered.delete(id);
  }
}

function tooLong({ head, tail }: Extract<Line, { kind: "too-long" }>, maxBytes: number): WireError {
  return {
    code: INVALID_REQUEST,
    message: `The message is longer than ${maxBytes} bytes, the most that is read over stdio. Send less at once.`,
    id: idOfLongRequest(head, tail),
  };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0x0d);
}
