/** A server over two streams in this process, as over stdin and stdout, and MCP messages to it without an SDK. */
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { StdioEnd } from "../../src/server/line-transport.ts";
import { runStdio, type StdioOptions } from "../../src/server/stdio.ts";
import { INITIALIZE, legacyMessage, notification } from "./mcp-http.ts";
import { createInbox, type Inbox } from "./mcp-inbox.ts";

/** A connection. */
export interface PipedMcp extends Inbox {
  /** Objects become a line each; text and bytes go as they are. */
  send(...messages: readonly unknown[]): void;
  /** Ends the client's side. */
  end(): void;
  readonly ended: Promise<StdioEnd>;
}

/** Connects; the connection ends with the test. */
export function connectPiped(engine: Engine, options: Partial<StdioOptions> = {}): PipedMcp {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const inbox = createInbox();
  let rest = "";
  stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) inbox.put(line);
  });
  const serving = { engine, expose: "both" as const, version: "0.0.0-test", log: silentLog };
  const ended = runStdio({ ...serving, caller: { agent: "default", origin: "mcp" }, stdin, stdout, ...options });
  onTestFinished(async () => {
    stdin.destroy();
    await ended;
  });
  return {
    ...inbox,
    send: (...messages) => {
      for (const message of messages) {
        stdin.write(typeof message === "string" || Buffer.isBuffer(message) ? message : `${JSON.stringify(message)}\n`);
      }
    },
    end: () => void stdin.end(),
    ended,
  };
}

/** Connects and does the handshake of 2025-11-25. */
export async function connectLegacy(engine: Engine, options: Partial<StdioOptions> = {}, capabilities: object = {}): Promise<PipedMcp> {
  const piped = connectPiped(engine, options);
  piped.send(legacyMessage("initialize", { ...INITIALIZE, capabilities }, 0));
  await piped.answer(0);
  piped.send(notification("notifications/initialized"));
  return piped;
}
