import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { type Alarm, HostMonitor } from "./host-monitor.ts";

/** A process that computes `burnMs` of every 200 ms, which stands for what a busy machine lets a process have. */
async function burner(burnMs: number): Promise<number> {
  const source = `console.log(1); setInterval(() => { const end = performance.now() + ${burnMs}; while (performance.now() < end); }, 200)`;
  const child = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "close");
  });
  await once(child.stdout, "data");
  return child.pid ?? 0;
}

function watch(pid: number): Promise<Alarm> {
  const { promise, resolve } = Promise.withResolvers<Alarm>();
  const monitor = new HostMonitor({
    pid,
    callsInside: () => ({ running: 0, waiting: 0 }),
    ceilingMb: () => 4_096,
    // Answered at once, as by a host whose event loop is free between what it computes.
    ping: (count) => monitor.pong(count, monitor.figures),
    onAlarm: resolve,
  });
  onTestFinished(() => monitor[Symbol.dispose]());
  monitor.wake();
  return promise;
}

test.runIf(process.platform === "linux")(
  "a host that computes with no call inside is found, also where it gets a third of a core",
  async () => {
    expect(await watch(await burner(70))).toBe("busy-while-idle");
  },
);
