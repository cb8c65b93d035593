import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openLineChannel } from "./line-channel.ts";

/** Two ends of a real socket. */
async function socketPair(): Promise<{ readonly near: Socket; readonly far: Socket }> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const accepted = once(server, "connection");
  const near = connect(address.port, "127.0.0.1");
  await once(near, "connect");
  const [far] = await accepted;
  server.close();
  onTestFinished(() => {
    near.destroy();
    far.destroy();
  });
  return { near, far };
}

interface Heard {
  readonly lines: string[];
  readonly tooLong: Promise<void>;
  readonly closed: Promise<void>;
  readonly lineCount: (count: number) => Promise<void>;
}

function listen(socket: Socket, maxLineCharacters: number): Heard {
  const lines: string[] = [];
  const tooLong = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let wanted = { count: Number.POSITIVE_INFINITY, resolve: (): void => undefined };
  openLineChannel(socket, {
    maxLineCharacters,
    onLine: (line) => {
      lines.push(line);
      if (lines.length >= wanted.count) wanted.resolve();
    },
    onTooLong: tooLong.resolve,
    onClose: closed.resolve,
  });
  const lineCount = (count: number): Promise<void> => {
    if (lines.length >= count) return Promise.resolve();
    return new Promise((resolve) => {
      wanted = { count, resolve };
    });
  };
  return { lines, tooLong: tooLong.promise, closed: closed.promise, lineCount };
}

test("lines arrive whole, however the bytes are cut, also inside a character", async () => {
  const { near, far } = await socketPair();
  near.setNoDelay(true);
  const heard = listen(far, 1_000);
  const bytes = Buffer.from('{"a":"ä😀"}\n\n{"b":2}\n');
  for (const byte of bytes) {
    near.write(Uint8Array.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await heard.lineCount(3);
  expect(heard.lines).toEqual(['{"a":"ä😀"}', "", '{"b":2}']);
});

test("what one side sends the other reads, line breaks in texts included", async () => {
  const { near, far } = await socketPair();
  const heard = listen(far, 1_000);
  const channel = openLineChannel(near, {
    maxLineCharacters: 10,
    onLine: () => undefined,
    onTooLong: () => undefined,
    onClose: () => undefined,
  });
  channel.send({ text: "one\ntwo\u2028three" });
  channel.send({ text: "x" });
  await heard.lineCount(2);
  expect(heard.lines.map((line) => JSON.parse(line))).toEqual([{ text: "one\ntwo\u2028three" }, { text: "x" }]);
});

test("a line over the bound is reported once, before its end came, and nothing after it is read", async () => {
  const { near, far } = await socketPair();
  const heard = listen(far, 100);
  near.write(`${"x".repeat(100)}\n`);
  near.write("y".repeat(101));
  await heard.tooLong;
  near.end('\n{"late":1}\n');
  await heard.closed;
  expect(heard.lines).toEqual(["x".repeat(100)]);
});

test("the end of the other side is told, and sending afterwards does nothing", async () => {
  const { near, far } = await socketPair();
  const closed = Promise.withResolvers<void>();
  const channel = openLineChannel(far, {
    maxLineCharacters: 10,
    onLine: () => undefined,
    onTooLong: () => undefined,
    onClose: closed.resolve,
  });
  near.resetAndDestroy();
  await closed.promise;
  expect(() => channel.send({ text: "x" })).not.toThrow();
});

test("what is sent together in one turn of the event loop arrives in one piece, in order, and the next turn's is not held", async () => {
  const { near, far } = await socketPair();
  const pieces: string[] = [];
  far.on("data", (bytes: Buffer) => pieces.push(bytes.toString("utf8")));
  const channel = openLineChannel(near, {
    maxLineCharacters: 10,
    onLine: () => undefined,
    onTooLong: () => undefined,
    onClose: () => undefined,
    sendsTogether: true,
  });
  channel.send({ n: 1 });
  await Promise.resolve();
  channel.send({ n: 2 });
  await once(far, "data");
  channel.send({ n: 3 });
  await once(far, "data");
  expect(pieces).toEqual(['{"n":1}\n{"n":2}\n', '{"n":3}\n']);
});
