import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { parseJsonBytes } from "./json-text.ts";
import { createLineReader, idOfLongRequest, type Line, MAX_MESSAGE_BYTES } from "./line-reader.ts";
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
 * answer for what cannot be read (too long, not JSON, a batch) in place of silence or the end of the connection.
 */
export interface LineTransport extends Transport {
  /** Ends the connection for a reason of the owner's. */
  end(reason: StdioEnd): void;
}

/** Makes the transport; the SDK starts it. The streams stay open: they belong to the process. */
export function createLineTransport({ stdin, stdout, maxMessageBytes = MAX_MESSAGE_BYTES, onEnd }: LineTransportOptions): LineTransport {
  const reader = createLineReader(maxMessageBytes);
  const unanswered = new Set<string | number>();
  let isClosed = false;
  let graceTimer: NodeJS.Timeout | undefined;

  const write = (value: unknown): void => {
    if (isClosed) return;
    stdout.write(`${JSON.stringify(value)}\n`);
    if (stdout.writableLength <= MAX_UNREAD_BYTES || stdin.isPaused()) return;
    stdin.pause();
    stdout.once("drain", () => {
      if (!isClosed) stdin.resume();
    });
  };

  const receive = (line: Line): void => {
    if (line.kind === "line" && isBlank(line.bytes)) return;
    const read =
      line.kind === "line"
        ? toWireMessage(parseJsonBytes(line.bytes))
        : { kind: "refused" as const, error: tooLong(line, maxMessageBytes) };
    if (read.kind === "refused") {
      write(wireErrorBody(read.error));
      return;
    }
    noteIncoming(unanswered, read.message);
    transport.onmessage?.(read.message);
  };

  const end = (reason: StdioEnd): void => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(graceTimer);
    stdin.off("data", onData);
    stdin.pause();
    transport.onclose?.();
    onEnd(reason);
  };

  const onData = (chunk: Buffer): void => {
    for (const line of reader.push(chunk)) if (!isClosed) receive(line);
  };

  const onStdinEnd = (): void => {
    if (isClosed || graceTimer !== undefined) return;
    if (unanswered.size === 0) end("stdin-end");
    else graceTimer = setTimeout(() => end("stdin-end"), ANSWER_AFTER_END_MS);
  };

  const settle = (message: JSONRPCMessage): void => {
    if ("method" in message || message.id === undefined) return;
    unanswered.delete(message.id);
    if (graceTimer !== undefined && unanswered.size === 0) end("stdin-end");
  };

  const transport: LineTransport = {
    start: async () => {
      // These stay attached: a write that fails after the end must not become an uncaught error.
      stdout.on("error", () => end("stdout-error"));
      stdout.on("close", () => end("stdout-error"));
      stdin.on("error", () => end("stdin-end"));
      stdin.on("end", onStdinEnd);
      stdin.on("close", onStdinEnd);
      stdin.on("data", onData);
      if (stdin.readableEnded || stdin.destroyed) setImmediate(onStdinEnd);
    },
    send: async (message) => {
      write(message);
      settle(message);
    },
    close: async () => end("closed"),
    end,
  };
  return transport;
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
