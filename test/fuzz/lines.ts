/** Lines from a host, each judged alone: through a real pipe cut anywhere, the channel's lines and the parser. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { FUZZ_BOUNDS } from "./caps.ts";
import { KINDS, makeMessage } from "./grammar.ts";
import { lineOf, type Mutant, mutate, type Surroundings } from "./mutations.ts";
import { readLine } from "./oracle.ts";
import type { Random } from "./random.ts";
import { count, find, type Tally } from "./report.ts";
import type { UnderTest } from "./under-test.ts";

const AROUND: Surroundings = { open: ["c-1", "c-2"], finished: ["c-0"], history: [] };

/** Sends that many messages, nine of ten changed, and compares what the parser makes of each line with the oracle. */
export async function fuzzLines(code: UnderTest, random: Random, tally: Tally, messages: number): Promise<void> {
  const sent: { readonly name: string | undefined; readonly line: string }[] = [];
  const parts: Buffer[] = [];
  for (let index = 0; index < messages; index += 1) {
    const { name, bytes } = oneOf(random);
    parts.push(bytes, Buffer.from("\n"));
    // A change may have put an end of line inside.
    for (const line of decoded(bytes).split("\n")) sent.push({ name, line });
  }
  const heard = await throughPipe(code, Buffer.concat(parts), random, sent.length);
  for (const [index, { name, line }] of sent.entries()) {
    const parsed = code.parseFromHost(heard[index] ?? "", FUZZ_BOUNDS);
    const expected = readLine(line);
    count(tally, name, expected !== undefined);
    const isSame = expected === undefined ? parsed.kind === "breach" : isDeepStrictEqual({ ...parsed }, { ...expected });
    if (!isSame) find(tally, "lines", `${name}: ${line.slice(0, 300)} was taken for ${JSON.stringify(parsed).slice(0, 300)}`);
  }
  if (heard.length !== sent.length) find(tally, "lines", `${sent.length} lines were sent and ${heard.length} came`);
}

function oneOf(random: Random): Omit<Mutant, "name"> & { readonly name: string | undefined } {
  const kind = random.pick(KINDS);
  const message = makeMessage(random, kind, { callId: random.pick(["c-1", "c-2"]) });
  return random.chance(0.1) ? { name: undefined, bytes: lineOf(message) } : mutate(random, message, AROUND);
}

/** The text of bytes as the protocol reads them: what is no UTF-8 becomes U+FFFD, and a mark of byte order stays. */
export function decoded(bytes: Buffer): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

async function throughPipe(code: UnderTest, bytes: Buffer, random: Random, lines: number): Promise<readonly string[]> {
  const { near, far, close } = await socketPair();
  const heard: string[] = [];
  const all = Promise.withResolvers<void>();
  const channel = code.openLineChannel(far, {
    maxLineCharacters: 4_000_000,
    onLine: (line) => {
      heard.push(line);
      if (heard.length === lines) all.resolve();
    },
    onTooLong: () => all.resolve(),
    onClose: () => all.resolve(),
  });
  for (let from = 0; from < bytes.length; ) {
    const to = from + random.pick([1, 2, 17, 400, 5_000, 70_000]);
    // Each piece is written by itself, so that pieces end anywhere, also inside of a character.
    if (!near.write(bytes.subarray(from, to))) await once(near, "drain");
    from = to;
  }
  near.end();
  await all.promise;
  channel.destroy();
  close();
  return heard;
}

async function socketPair(): Promise<{ readonly near: Socket; readonly far: Socket; readonly close: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), "fuzz-"));
  const server = createServer();
  const path = join(folder, "pipe");
  server.listen(path);
  await once(server, "listening");
  const accepted = once(server, "connection");
  const near = connect(path);
  await once(near, "connect");
  const [far] = await accepted;
  const close = (): void => {
    near.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  };
  return { near, far, close };
}
