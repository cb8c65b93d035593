import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { echo, testEngine } from "../../test/support/mcp-engine.ts";
import { INITIALIZE, legacyMessage, modernMessage, notification } from "../../test/support/mcp-http.ts";
import { connectLegacy, connectPiped } from "../../test/support/mcp-pipe.ts";
import { MAX_MESSAGE_BYTES } from "./line-reader.ts";
import { LineTransport, type LineTransportOptions } from "./line-transport.ts";

const MIB = 1024 * 1024;
/** As pipes deliver. */
const CHUNK_BYTES = 64 * 1024;

/** A transport over two streams, with what it took in and what it answered by itself. */
async function openTransport(options: Partial<LineTransportOptions> = {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const ended = Promise.withResolvers<string>();
  const transport = new LineTransport({ stdin, stdout, onEnd: ended.resolve, ...options });
  const received: unknown[] = [];
  transport.onmessage = (message) => received.push(message);
  await transport.start();
  const answered = (): readonly unknown[] => {
    const text: unknown = stdout.read();
    return String(text ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  };
  return { transport, stdin, received, answered, ended: ended.promise };
}

function line(message: object): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

function echoCall(id: number, text: string): object {
  return legacyMessage("tools/call", { name: "echo", arguments: { text } }, id);
}

/** Puts the bytes into the stream as a pipe does. */
function feed(stdin: PassThrough, bytes: Buffer): void {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) stdin.emit("data", bytes.subarray(start, start + CHUNK_BYTES));
}

test("a call of 9 MB is read in under 100 ms of CPU, and one of 4.5 MB in about half of it", async () => {
  const texts = { plain: "x", "with escapes": '"\n', "beyond ASCII": "ü€😀" };
  for (const [kind, unit] of Object.entries(texts)) {
    const cpuMs = async (megabytes: number): Promise<number> => {
      const text = unit.repeat(Math.floor((megabytes * MIB) / (Buffer.byteLength(JSON.stringify(unit)) - 2)));
      const bytes = line(echoCall(1, text));
      const costs: number[] = [];
      // The least of three: the process also collects garbage and compiles, for this test or for others.
      for (let round = 0; round < 3; round++) {
        const { stdin, received } = await openTransport();
        const before = process.cpuUsage();
        feed(stdin, bytes);
        const { user, system } = process.cpuUsage(before);
        costs.push((user + system) / 1_000);
        expect(received).toMatchObject([{ id: 1, params: { arguments: { text } } }]);
      }
      return Math.min(...costs);
    };
    const [half, whole] = [await cpuMs(4.5), await cpuMs(9)];
    process.stdout.write(`9 MB ${kind}: ${whole.toFixed(1)} ms of CPU, 4.5 MB: ${half.toFixed(1)} ms\n`);
    expect(whole).toBeLessThan(100);
    // A reader whose time grows with the square takes four times as long.
    expect(whole).toBeLessThan(3 * half + 10);
  }
});

test("a line over the limit is answered with the limit, by its id where that is known, and the next message is served", async () => {
  const client = await connectLegacy(testEngine([echo]));
  const long = "x".repeat(MAX_MESSAGE_BYTES);
  const idLast = `{"method":"tools/call","params":{"name":"echo","arguments":{"text":"${long}"}},"jsonrpc":"2.0","id":"last"}\n`;
  client.send(echoCall(1, long), idLast, `${long}x\n`, echoCall(2, "next"));
  expect(await client.answer(2)).toMatchObject({ result: { structuredContent: { text: "next" } } });
  const message = "The message is longer than 16777216 bytes, the most that is read over stdio. Send less at once.";
  for (const id of [1, "last", null]) {
    expect(await client.answer(id)).toEqual({ jsonrpc: "2.0", id, error: { code: -32_600, message } });
  }
});

test("a line of exactly the limit is read, one byte more is not", async () => {
  const bytes = line(echoCall(1, "x"));
  const { stdin, received, answered } = await openTransport({ maxMessageBytes: bytes.length - 1 });
  stdin.emit("data", bytes);
  expect(received).toHaveLength(1);
  stdin.emit("data", Buffer.concat([Buffer.from(" "), bytes]));
  expect(received).toHaveLength(1);
  expect(answered()).toMatchObject([{ id: 1, error: { code: -32_600 } }]);
});

test("several messages in one chunk are all answered, whatever ends their lines and whatever stands between", async () => {
  const client = connectPiped(testEngine([echo]));
  const messages = [
    legacyMessage("initialize", INITIALIZE, 0),
    notification("notifications/initialized"),
    echoCall(1, "a"),
    echoCall(2, "b"),
  ];
  client.send(
    messages
      .map((message) => JSON.stringify(message))
      .join("\r\n\n\r\n")
      .concat("\n"),
  );
  expect(await client.answer(1)).toMatchObject({ result: { structuredContent: { text: "a" } } });
  expect(await client.answer(2)).toMatchObject({ result: { structuredContent: { text: "b" } } });
});

test("messages cut at any byte, also within a character, come out whole", async () => {
  const messages = ["plain", "ü€😀", "\\n\n\u0000"].map((text, index) => echoCall(index, text));
  const bytes = Buffer.concat(messages.map(line));
  for (let cut = 0; cut <= bytes.length; cut++) {
    const { stdin, received, answered } = await openTransport();
    for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) stdin.emit("data", part);
    expect([cut, received, answered()]).toEqual([cut, messages, []]);
  }
  const { stdin, received } = await openTransport();
  for (const byte of bytes) stdin.emit("data", Buffer.of(byte));
  expect(received).toEqual(messages);
});

test("half a message at the end of input is not acted upon, and the connection is over", async () => {
  const bytes = line(echoCall(1, "ü"));
  for (const cut of [1, bytes.length - 12, bytes.length - 2]) {
    const { stdin, received, answered, ended } = await openTransport();
    stdin.end(bytes.subarray(0, cut));
    expect(await ended).toBe("stdin-end");
    expect([received, answered()]).toEqual([[], []]);
  }
});

test("a whole message without a line end at the end of input is answered, as from a pipe that prints none", async () => {
  const client = connectPiped(testEngine([echo]));
  client.send(JSON.stringify(modernMessage("tools/call", { name: "echo", arguments: { text: "x" } })));
  client.end();
  expect(await client.answer(1)).toMatchObject({ result: { structuredContent: { text: "x" } } });
  expect(await client.ended).toBe("stdin-end");
});
