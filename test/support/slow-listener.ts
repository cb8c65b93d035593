/** A listener on 127.0.0.1 whose queue is full: the system drops what wants to connect until it takes again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { onTestFinished, vi } from "vitest";

/** A process that listens and stands still. Linux only. */
export interface SlowListener {
  readonly port: number;
  /** Settles once somebody's request to connect was sent and not taken. */
  attempted(): Promise<void>;
  /** From now on it takes connections; what was dropped is sent again by the system a second after it was sent. */
  release(): void;
}

// Node stands still within readSync, while the system goes on to fill the queue: two places with a backlog of 1.
const CODE = `const server = require("node:net").createServer((socket) => socket.on("error", () => {}));
server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
  require("node:fs").writeSync(1, server.address().port + "\\n");
  require("node:fs").readSync(0, Buffer.alloc(1));
});`;

/** Starts one; it ends with the test. */
export async function startSlowListener(): Promise<SlowListener> {
  const child = spawn(process.execPath, ["-e", CODE], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(child.stdout, "data");
  const port = Number(String(line));
  for (const _place of [1, 2]) {
    const filler = connect(port, "127.0.0.1");
    filler.on("error", () => undefined);
    onTestFinished(() => void filler.destroy());
    await once(filler, "connect");
  }
  return {
    port,
    attempted: () =>
      vi.waitFor(() => {
        if (!isAttempted(port)) throw new Error("Nobody tries to connect.");
      }),
    release: () => void child.stdin.write("x"),
  };
}

/** Whether the system's table holds a connection to the port in the state SYN_SENT (2). */
function isAttempted(port: number): boolean {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .some((row) => {
      const [, , far = "", state] = row.trim().split(/\s+/);
      return far.endsWith(remote) && state === "02";
    });
}
