/** A DNS server on loopback over UDP (RFC 1035), for tests: answers each question with what the test says next. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

/** One record of an answer. `name` is that of the question where it is left out. */
export type DnsRecord =
  | { readonly type: "A" | "AAAA"; readonly address: string; readonly name?: string; readonly ttl?: number }
  | { readonly type: "CNAME"; readonly to: string; readonly name?: string; readonly ttl?: number };

/** What the server says: records, a code of failure, or nothing at all. */
export type DnsAnswer = readonly DnsRecord[] | "NXDOMAIN" | "SERVFAIL" | "silence";

/** A running server. */
export interface DnsServer extends AsyncDisposable {
  /** `127.0.0.1:port`, as `Resolver.setServers` takes it. */
  readonly address: string;
  /** Questions in their order, as `A name`. */
  readonly asked: readonly string[];
}

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const CODES = { NXDOMAIN: 3, SERVFAIL: 2 } as const;

/** Starts a server. `answer` is told how often that name and type were asked for before. */
export async function startDnsServer(
  answer: (question: { readonly name: string; readonly type: "A" | "AAAA"; readonly count: number }) => DnsAnswer,
): Promise<DnsServer> {
  const asked: string[] = [];
  const counts = new Map<string, number>();
  const socket: Socket = createSocket("udp4");
  socket.on("message", (message, from) => {
    const { name, type, end } = readQuestion(message);
    const key = `${type} ${name}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    asked.push(key);
    const said = answer({ name, type, count });
    if (said !== "silence") socket.send(writeAnswer(message.subarray(0, end), name, said), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
}

function readQuestion(message: Buffer): { readonly name: string; readonly type: "A" | "AAAA"; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1) === TYPES.AAAA ? "AAAA" : "A", end: at + 5 };
}

function writeAnswer(question: Buffer, name: string, said: Exclude<DnsAnswer, "silence">): Buffer {
  const records = typeof said === "string" ? [] : said;
  const head = Buffer.from(question);
  // An answer, recursion available; one question, so many answers, nothing else.
  head.writeUInt16BE(0x8180 | (typeof said === "string" ? CODES[said] : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records.map((record) => writeRecord(record, name))]);
}

function writeRecord(record: DnsRecord, asked: string): Buffer {
  const data = record.type === "CNAME" ? writeName(record.to) : writeAddress(record.address);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(TYPES[record.type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(record.ttl ?? 0, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([writeName(record.name ?? asked), fixed, data]);
}

function writeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "latin1")]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function writeAddress(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  const [before = "", after] = address.split("::");
  const parts = (text: string): readonly number[] => (text === "" ? [] : text.split(":").map((part) => Number.parseInt(part, 16)));
  const front = parts(before);
  const back = parts(after ?? "");
  const bytes = Buffer.alloc(16);
  front.forEach((part, index) => void bytes.writeUInt16BE(part, index * 2));
  back.forEach((part, index) => void bytes.writeUInt16BE(part, 16 - (back.length - index) * 2));
  return bytes;
}
