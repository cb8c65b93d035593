import { expect, test } from "vitest";
import type { Isolate } from "../../src/sandbox/isolate.ts";
import type { RealmSources } from "../../src/sandbox/isolate-contract.ts";
import { type CallSeen, type HostCallSeen, httpAnswer, loadIsolate, runCall } from "../support/isolate-harness.ts";
import type { Way } from "./realm-way.ts";
import { WAYS, wayScript } from "./realm-ways.ts";

/** Requests for ".../now" are answered; the others stay pending when their call ends. */
const answer = ({ params }: HostCallSeen) => (String(params.url).endsWith("/now") ? httpAnswer({ headers: { a: "b" } }) : undefined);

/** True if what `find` sees after `leave` is not what it saw before. */
async function leaks(isolate: Isolate, index: number): Promise<boolean> {
  const run = async (step: string): Promise<CallSeen> => await runCall(isolate, { args: { index, step }, answer });
  const before = await run("find");
  const leaveCallId = `call-${isolate.calls}`;
  await run("leave");
  const finding = run("find");
  for (const sequence of [0, 1]) isolate.deliver(leaveCallId, sequence, true, JSON.stringify(httpAnswer({}).payload));
  return JSON.stringify(await finding) !== JSON.stringify(before);
}

test("the ways are distinct, and at least a hundred of them can carry something", () => {
  expect(new Set(WAYS.map(({ name }) => name)).size).toBe(WAYS.length);
  expect(new Set(WAYS.map(({ leave, find }) => `${leave}\n${find}`)).size).toBe(WAYS.length);
  expect(WAYS.length).toBeGreaterThanOrEqual(200);
  expect(WAYS.filter(({ inert }) => !inert).length).toBeGreaterThanOrEqual(150);
});

test("in a realm that is not hardened, every way that is not marked inert leaks to the next call", async () => {
  const wrong: string[] = [];
  for (const [index, { name, inert }] of WAYS.entries()) {
    // A realm each: what one way leaves here would change what the next one sees.
    using isolate = await loadIsolate(wayScript(), { hardened: false });
    if ((await leaks(isolate, index)) === inert) wrong.push(name);
  }
  expect(wrong).toEqual([]);
});

test("in a hardened realm no way leaks, one after the other in the same isolate", async () => {
  using isolate = await loadIsolate(wayScript(), { hardened: true });
  const leaking: Way["name"][] = [];
  for (const [index, { name }] of WAYS.entries()) if (await leaks(isolate, index)) leaking.push(name);
  expect(leaking).toEqual([]);
  expect(isolate.calls).toBe(3 * WAYS.length);
});

/** Keeps g and setTimeout of one call where the next one finds them; only a realm that is not hardened lets it. */
const KEEPER = `const REAL = Object.getPrototypeOf(globalThis);
async function main({ step }) {
  if (step === "leave") { REAL.kept = { g, setTimeout, crypto }; return "left"; }
  const tried = [];
  for (const use of [() => kept.g.log.info("in your name"), () => kept.setTimeout(() => {}, 1), () => kept.g.run.progress(1), () => kept.g.result.fail("x"), () => kept.crypto.randomUUID()]) {
    try { use(); tried.push("works"); } catch (error) { tried.push("throws"); }
  }
  tried.push(await kept.g.http.makeHttpRequest("https://a.example/now").then(() => "works", () => "throws"));
  return tried;
}`;

test("g of an ended call does nothing in the next; without the check it would act in its name", async () => {
  const use = async (isolate: Isolate): Promise<CallSeen> => {
    await runCall(isolate, { args: { step: "leave" } });
    return await runCall(isolate, { args: { step: "use" }, answer, timeoutMs: 2_000 });
  };
  const unguarded = (sources: RealmSources): RealmSources => ({
    ...sources,
    prelude: sources.prelude.replace("if (state.isLive) return;", "return;"),
  });
  using open = await loadIsolate(KEEPER.replace(/ {2}tried\.push\(await.*\n/, ""), { hardened: false, change: unguarded });
  const broken = await use(open);
  expect(broken.outcome).toEqual({ kind: "value", value: ["works", "works", "works", "works", "works"] });
  expect(broken.notices[0]).toEqual({ name: "log.write", params: { level: "info", text: "in your name" } });
  using guarded = await loadIsolate(KEEPER, { hardened: false });
  const held = await use(guarded);
  expect(held).toEqual({
    outcome: { kind: "value", value: ["throws", "throws", "throws", "throws", "throws", "throws"] },
    notices: [],
    hostCalls: [],
  });
});

test("a detached rejection is never read by the library; without the turn's own one it would be", async () => {
  const source = 'async function main() { Promise.reject(new Error("read outside")); return 1; }';
  const unguarded = (sources: RealmSources): RealmSources => ({
    ...sources,
    prelude: sources.prelude.replace("turnPromise = rejectTurn();", ""),
  });
  using open = await loadIsolate(source, { hardened: true, change: unguarded });
  const error: unknown = await runCall(open).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ reason: "border", cause: { message: "read outside" } });
  using guarded = await loadIsolate(source, { hardened: true });
  expect((await runCall(guarded)).outcome).toEqual({ kind: "value", value: 1 });
});
