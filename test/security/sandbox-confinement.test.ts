/**
 * What Linux takes from the processes of scripts and of the bundler, and that they run where it takes nothing. Where a guard is not
 * to be had on the machine of the test, the tests hold for what is left, and for what doctor says about it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { confinementNote } from "../../src/cli/doctor/confinement.ts";
import { type Confinement, confined, findConfinement, GUARD_NAMES } from "../../src/core/confinement.ts";
import { launchHost } from "../../src/sandbox/host-launch.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { BundleService } from "../../src/workspace/bundle/bundle-service.ts";
import { eventually, gist, keptLog, testCall, testSandbox } from "../support/sandbox-call.ts";

const IS_LINUX = process.platform === "linux";
const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/sandbox/${name}`, import.meta.url));
const NOTHING: Confinement = { prefix: [], missing: new Map(GUARD_NAMES.map((name) => [name, "not tried"])) };
const FAILS: Confinement = { prefix: ["/bin/false"], missing: new Map() };

let here: Confinement = NOTHING;
beforeAll(async () => {
  here = await findConfinement();
});

/** What a process started as a host is started can do with Node's restrictions off. */
async function reportOf(confinement: Confinement): Promise<unknown> {
  await using server = createServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const { child, pipe } = launchHost(confined({ program: process.execPath, args: [fixture("probe-outside.mjs")] }, confinement));
  const exit = once(child, "exit");
  const targets = { unshare: "/usr/bin/unshare", cat: "/bin/cat" };
  pipe.write(`${JSON.stringify({ port: typeof address === "object" ? address?.port : 0, server: process.pid, targets })}\n`);
  const said = await text(pipe);
  await exit;
  return JSON.parse(said);
}

function figures(pid: number): {
  readonly dumps: string | undefined;
  readonly privileges: string | undefined;
  readonly hasOwnNetwork: boolean;
} {
  const dumps = /^Max core file size +(\S+ +\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, "latin1"))?.[1]?.replace(/ +/, " ");
  const privileges = /^NoNewPrivs:\t(\d)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return { dumps, privileges, hasOwnNetwork: readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync("/proc/self/ns/net") };
}

/** Those of a process without guards, with what is to be had here. */
function expectedFigures(): ReturnType<typeof figures> {
  const own = figures(process.pid);
  return {
    dumps: here.missing.has("dumps") ? own.dumps : "0 0",
    privileges: here.missing.has("privileges") ? own.privileges : "1",
    hasOwnNetwork: !here.missing.has("namespace"),
  };
}

/** The host of a sandbox that answers a call. */
async function hostAtWork(sandbox: Sandbox): Promise<{ readonly pid: number; readonly isConfined: boolean }> {
  expect(gist(await sandbox.run(testCall("async function main() { return 1 }", { timeoutMs: 10_000 })))).toEqual({ value: 1 });
  const host = sandbox.status().hosts.find(({ role }) => role === "serving");
  if (host === undefined) throw new Error("No host serves.");
  return host;
}

test.runIf(IS_LINUX)(
  "a taken-over host reaches neither the network nor the server's memory, makes no namespace, and gets no new rights",
  async () => {
    const open = await reportOf(NOTHING);
    const own = figures(process.pid);
    const without = { loopback: "possible", memory: "possible", privileges: own.privileges, privilegesOfPrograms: own.privileges };
    expect(open).toMatchObject({ ...without, dumps: own.dumps, environment: [] });
    const { dumps, privileges, hasOwnNetwork } = expectedFigures();
    const closed = hasOwnNetwork ? { loopback: "ENETUNREACH", memory: "EACCES", namespaces: "refused" } : {};
    const expected = { ...without, ...closed, dumps, privileges, privilegesOfPrograms: privileges, environment: [] };
    expect(await reportOf(here)).toMatchObject(expected);
    for (const [name, reason] of here.missing) expect(confinementNote(here), name).toContain(reason);
  },
);

test.runIf(IS_LINUX)(
  "a host at work has the guards, an empty environment, and no descriptor but its pipe and what Node opens for itself",
  async () => {
    await using sandbox = await testSandbox({ confinement: here });
    const { pid, isConfined } = await hostAtWork(sandbox);
    expect(isConfined).toBe(true);
    expect(figures(pid)).toEqual(expectedFigures());
    expect(readFileSync(`/proc/${pid}/environ`, "latin1")).toBe("");
    expect(readlinkSync(`/proc/${pid}/exe`)).toBe(readlinkSync("/proc/self/exe"));
    const links = readdirSync(`/proc/${pid}/fd`).map((name) => `${name} ${readlinkSync(`/proc/${pid}/fd/${name}`).replace(/\d+/, "N")}`);
    const given = links.filter((link) => Number.parseInt(link, 10) < 4);
    expect(given).toEqual(["0 /dev/null", "1 /dev/null", "2 socket:[N]", "3 socket:[N]"]);
    // Its event loops, and what other descriptors were covered with.
    const ofNode = /^\d+ (?:anon_inode:\[(?:eventfd|eventpoll|io_uring)\]|pipe:\[N\]|\/dev\/null)$/;
    expect(links.filter((link) => !given.includes(link) && !ofNode.test(link))).toEqual([]);
  },
);

test.runIf(IS_LINUX)("a file that was left open for the server is not open in its children", async () => {
  const file = openSync(fixture("probe-host.mjs"), "r");
  const stdio = ["ignore", "pipe", "inherit", ...Array.from({ length: 54 }, () => "ignore" as const), file] as const;
  const parent = spawn(process.execPath, [fixture("descriptors-parent.ts")], { stdio: [...stdio] });
  closeSync(file);
  if (parent.stdout === null) throw new Error("There is no output to read.");
  const [plain, guarded]: string[] = JSON.parse(await text(parent.stdout));
  expect(plain).toContain(` 57 -> ${fixture("probe-host.mjs")}`);
  expect(guarded).toContain(" 57 -> /dev/null");
  expect(guarded).not.toContain("probe-host");
});

test("scripts run where there are no guards, and where hosts do not start with them; the log and the status say so", async () => {
  const { log, events } = keptLog();
  await using bare = await testSandbox({ confinement: NOTHING });
  await using failing = await testSandbox({ confinement: FAILS, log });
  const pids = [(await hostAtWork(bare)).pid, (await hostAtWork(failing)).pid];
  if (IS_LINUX) expect(pids.map(figures)).toEqual([figures(process.pid), figures(process.pid)]);
  expect(failing.status().hosts.find(({ role }) => role === "serving")?.isConfined).toBe(false);
  expect(events.filter(({ event }) => event === "sandbox.host.unconfined").length).toBeGreaterThan(0);
});

test("once a host has lived with the guards none is started without them, whatever makes later ones fail", async () => {
  const { log, events } = keptLog();
  const prefix = ["/usr/bin/env"];
  await using sandbox = await testSandbox({ confinement: { prefix, missing: new Map() }, log });
  prefix.splice(0, 1, ...FAILS.prefix);
  for (const { pid } of sandbox.status().hosts) process.kill(pid, "SIGKILL");
  const count = (wanted: string): number => events.filter(({ event }) => event === wanted).length;
  await eventually("two hosts failed", 5_000, () => count("sandbox.host.failed") >= 2 || count("sandbox.host.unconfined") > 0);
  expect(count("sandbox.host.unconfined")).toBe(0);
});

test.runIf(IS_LINUX)("the bundling process and its program have the guards, and it bundles where it does not start with them", async () => {
  await using service = new BundleService(async () => here);
  await service.strip("a.ts", "export default 1;");
  const { pid = 0, isConfined } = service;
  const programs = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  expect(programs).toHaveLength(1);
  for (const process of [pid, ...programs]) expect(figures(process)).toEqual(expectedFigures());
  expect(isConfined).toBe(true);
  await using failing = new BundleService(async () => FAILS);
  expect(await failing.strip("a.ts", "export const a: number = 1;")).toMatchObject({ kind: "stripped" });
  expect(failing.isConfined).toBe(false);
});
