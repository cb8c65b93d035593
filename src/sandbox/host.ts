/**
 * Entry of a sandbox host, the child process in which isolates live. It has no environment, no arguments, no file
 * access beyond this folder and the native library, and one pipe (descriptor 3) to the server.
 * It ends itself, always by SIGKILL, when the pipe closes (the server died), and when anything here fails: a process
 * in which V8 or the library misbehaved is not to be trusted with an orderly exit.
 */
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { borderCaps, type FromHost, OUT_OF_MEMORY_SIGNAL, type ToHost } from "./border.ts";
import { createCodeCache } from "./code-cache.ts";
import { createHostCalls, type HostCalls } from "./host-calls.ts";
import type { Isolate, IsolateCode } from "./isolate.ts";
import { IsolatePool, type MakeIsolate } from "./isolate-pool.ts";
import { type LineChannel, openLineChannel } from "./line-channel.ts";
import { warmCode } from "./warm-code.ts";

const PIPE = 3;

function main(): void {
  process.on("uncaughtException", (error) => failAtOnce(error));
  let calls: HostCalls | undefined;
  const channel: LineChannel = openLineChannel(new Socket({ fd: PIPE }), {
    // The server's messages are trusted: an answer may hold the largest body, and sources are sent whole.
    maxLineCharacters: Number.POSITIVE_INFINITY,
    onLine: (line) => {
      const message: ToHost = JSON.parse(line);
      // A rejection of start() is unhandled on purpose: it ends the host like every other failure.
      if (message.kind === "init") void start(message);
      else if (calls !== undefined) receive(channel, calls, message);
    },
    onTooLong: () => undefined,
    onClose: () => killSelf(),
    // The outcome of a call and the end of its last turn come a moment apart.
    sendsTogether: true,
  });
  const send = (message: FromHost): void => channel.send(message);

  const start = async ({ sources, caps, pool: settings }: Extract<ToHost, { kind: "init" }>): Promise<void> => {
    // Loaded here and not at the top, so that a missing native library becomes a message and not a silent exit.
    const { Isolate: Library } = await import("./isolate.ts");
    const codeCache: IsolateCode = createCodeCache();
    const make: MakeIsolate = async (options) => {
      let made: Isolate | undefined;
      const onCatastrophe = (): void => endOutOfMemory(made === undefined ? undefined : calls?.callOf(made));
      made = await Library.create({ ...options, onCatastrophe }, codeCache);
      return made;
    };
    const throwaway = { memoryMb: settings.spareMemoryMb, hardened: false, sources, caps };
    await warmCode(() => make(throwaway), sources, codeCache);
    const pool = new IsolatePool({ ...settings, sources, caps, make });
    await pool.prepare();
    calls = createHostCalls({ pool, caps, bounds: borderCaps(caps), send });
    send({ kind: "ready" });
  };
}

function receive(channel: LineChannel, calls: HostCalls, message: Exclude<ToHost, { kind: "init" }>): void {
  switch (message.kind) {
    case "script":
      calls.addScript(message);
      return;
    case "forget":
      calls.forgetScript(message.key);
      return;
    case "call":
      calls.start(message);
      return;
    case "answer":
      calls.answer(message);
      return;
    case "pause":
    case "resume":
      calls.setPaused(message.callId, message.kind === "pause");
      return;
    case "stop":
      calls.stop(message.callId);
      return;
    case "ping": {
      const { rss } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      channel.send({ kind: "pong", count: message.count, rssMb: rss / 1_048_576, cpuMs: (user + system) / 1_000 } satisfies FromHost);
    }
  }
}

/** V8 ran out of memory beyond recovery: tells whose isolate it was, and ends by the signal that says so. */
function endOutOfMemory(callId: string | undefined): void {
  if (callId !== undefined) writeAtOnce({ kind: "free", callId, end: "memory", cpuMs: 0 });
  process.kill(process.pid, OUT_OF_MEMORY_SIGNAL);
}

function failAtOnce(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  writeAtOnce({ kind: "fatal", message: reason.slice(0, 1_000) });
  killSelf();
}

/** Past the channel, whose queue a dying process no longer empties. */
function writeAtOnce(message: FromHost): void {
  try {
    writeSync(PIPE, `${JSON.stringify(message)}\n`);
  } catch {
    // The pipe is closed or full; the server sees the end of the process in any case.
  }
}

function killSelf(): void {
  process.kill(process.pid, "SIGKILL");
}

main();
