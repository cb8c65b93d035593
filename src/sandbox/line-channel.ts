/**
 * The pipe between the server and a sandbox host: one JSON text per line, both ways.
 * Not Node's own IPC channel: there, one line that is not JSON, or one of Node's internal messages, throws inside the
 * server's event loop, and an endless line fills its memory. Here everything that comes is data until it is parsed.
 */

import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

/** Callbacks and the bound of a channel. */
export interface LineChannelOptions {
  /** Longest line accepted, in UTF-16 units. */
  readonly maxLineCharacters: number;
  readonly onLine: (line: string) => void;
  /** The other side sent a longer line; nothing more is read. */
  readonly onTooLong: () => void;
  /** The pipe is closed, whatever the reason. Called once. */
  readonly onClose: () => void;
  /**
   * True: what is sent within one turn of the event loop goes out together at its end, so that the other side wakes once
   * for it. Default false: at once.
   */
  readonly sendsTogether?: boolean;
}

/** Sends lines. Sending into a closed channel does nothing: the closing itself has been told by `onClose`. */
export interface LineChannel {
  send(message: object): void;
  /** Reads nothing more. */
  stop(): void;
  destroy(): void;
}

/** Starts reading. The socket is owned by the channel from here on. */
export function openLineChannel(
  socket: Socket,
  { maxLineCharacters, onLine, onTooLong, onClose, sendsTogether = false }: LineChannelOptions,
): LineChannel {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  let partCharacters = 0;
  let stopped = false;
  let held = "";

  const release = (): void => {
    const text = held;
    held = "";
    if (socket.writable) socket.write(text);
  };

  const onData = (bytes: Buffer): void => {
    const text = decoder.write(bytes);
    let from = 0;
    while (!stopped) {
      const end = text.indexOf("\n", from);
      const piece = end < 0 ? text.slice(from) : text.slice(from, end);
      partCharacters += piece.length;
      if (partCharacters > maxLineCharacters) {
        stopped = true;
        onTooLong();
        return;
      }
      if (end < 0) {
        if (piece !== "") parts.push(piece);
        return;
      }
      const line = parts.length === 0 ? piece : parts.join("") + piece;
      parts = [];
      partCharacters = 0;
      from = end + 1;
      onLine(line);
    }
  };

  socket.on("data", onData);
  // The reason of a broken pipe (EPIPE, ECONNRESET) is only that the other side is gone; "close" follows and tells it.
  socket.on("error", () => undefined);
  socket.once("end", () => socket.destroy());
  socket.once("close", onClose);
  return {
    send(message) {
      if (!socket.writable) return;
      const line = `${JSON.stringify(message)}\n`;
      if (!sendsTogether) {
        socket.write(line);
        return;
      }
      // One text and not a corked socket: Node writes one text several times as fast as a list of them.
      if (held === "") setImmediate(release);
      held += line;
    },
    stop() {
      stopped = true;
    },
    destroy() {
      stopped = true;
      socket.destroy();
    },
  };
}
