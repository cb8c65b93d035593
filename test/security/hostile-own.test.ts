/** Every script of test/hostile/own once in each mode of isolation; test/long/hostile-guards.test.ts proves the guards they name. */
import { expect, test } from "vitest";
import { attack, hostileSandbox, type Seen, wantedOf } from "../hostile/attack.ts";
import { allGuards } from "../hostile/guards.ts";
import { MODES, parseOwnScript, readOwnScripts } from "../hostile/own-scripts.ts";
import { eventually, isAlive, isIdle } from "../support/sandbox-call.ts";

/** For all scripts of one mode, in milliseconds: 20 s where nothing else runs. */
const RUN_MS = 240_000;

const scripts = readOwnScripts();

test("every script of our own names a guard that there is, and every guard has a script", () => {
  const named = scripts.flatMap(({ expectations }) => expectations.map(({ guard }) => guard));
  expect([...new Set(named)].sort()).toEqual([...allGuards().keys()].sort());
});

test("a header with a field that is missing, unknown or twice there is an error that names the file", () => {
  const header = ["// Attack: none", "// Expect: TIMEOUT", "// Guard: time-limit"];
  const parse = (lines: readonly string[]) => () => parseOwnScript("cpu/x.js", lines.join("\n"));
  expect(parse(header)().expectations).toHaveLength(2);
  expect(parse(header.slice(1))).toThrow('own/cpu/x.js: "Attack" is missing');
  expect(parse([...header, "// Expects: TIMEOUT"])).toThrow("own/cpu/x.js: a line is no field of a header: // Expects: TIMEOUT");
  expect(parse([...header, "// Guard: other"])).toThrow('own/cpu/x.js: "Guard" is there twice');
  expect(parse([...header, "// Expect call: TIMEOUT"])).toThrow('own/cpu/x.js: both "Expect" and "Expect call" are there');
  expect(parse([...header, "// Limit: 5"])).toThrow("own/cpu/x.js: the limit 5 is not");
  expect(parse([...header, "// Before as: tool other"])).toThrow('own/cpu/x.js: "Before as" is there without "Before"');
});

for (const mode of MODES) {
  test(
    `every script of our own in mode "${mode}" ends as it must, in time and within memory, the next call works, and the processor is free again`,
    async () => {
      await using sandbox = await hostileSandbox();
      const pids = new Set<number>();
      const seen: Seen[] = [];
      const wanted: Seen[] = [];
      for (const script of scripts) {
        const want = wantedOf(script, mode);
        if (want === undefined) continue;
        wanted.push(want);
        for (const { pid } of sandbox.status().hosts) pids.add(pid);
        seen.push(await attack(sandbox, script, mode));
      }
      expect(seen).toEqual(wanted);
      const hosts = sandbox.status().hosts.filter(({ role }) => role !== "leaving");
      const current = new Set(hosts.map(({ pid }) => pid));
      for (const pid of pids) if (!current.has(pid)) await eventually(`host ${pid} is gone`, 6_000, () => !isAlive(pid));
      for (const pid of current) await eventually(`host ${pid} is idle`, 6_000, isIdle(pid));
    },
    RUN_MS,
  );
}
