import { expect, test } from "vitest";
import { codeTool, testEngine } from "../../test/support/mcp-engine.ts";
import { beginsCall, createCallPlaces } from "./http-places.ts";

const CALLER = { agent: "default", origin: "mcp" as const };

/** An engine whose calls end when they are told. */
function heldEngine() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = codeTool("held", async () => {
    await promise;
    return { kind: "value", value: null };
  });
  return { engine: testEngine([held]), end: resolve };
}

function callHeld(engine: ReturnType<typeof testEngine>) {
  return engine.call(CALLER, { name: "held", args: {}, signal: new AbortController().signal });
}

test("a token has as many places as the limit says, and another token has its own", () => {
  const places = createCallPlaces(testEngine([]), () => 2);
  const taken = [places.take("a"), places.take("a"), places.take("a"), places.take("b")];
  expect(taken.map((place) => place !== undefined)).toEqual([true, true, false, true]);
  taken[0]?.leave();
  taken[0]?.leave();
  expect(places.taken()).toBe(2);
  expect([places.take("a") !== undefined, places.take("a") !== undefined]).toEqual([true, false]);
});

test("a request that is over before any call gives its place back; one whose call goes on does so when the call ends", async () => {
  const { engine, end } = heldEngine();
  const places = createCallPlaces(engine, () => 1);
  places.take("a")?.leave();
  const place = places.take("a");
  const call = place?.hold(() => callHeld(places.engine));
  place?.leave();
  expect([places.taken(), places.take("a")]).toEqual([1, undefined]);
  end();
  await call;
  expect(places.taken()).toBe(0);
});

test("a call that begins after its request is over counts while it runs", async () => {
  const { engine, end } = heldEngine();
  const places = createCallPlaces(engine, () => 1);
  const { promise: later, resolve: goOn } = Promise.withResolvers<void>();
  const place = places.take("a");
  const call = place?.hold(async () => {
    await later;
    return await callHeld(places.engine);
  });
  place?.leave();
  expect(places.taken()).toBe(0);
  goOn();
  await later;
  expect(places.take("a")).toBeUndefined();
  end();
  await call;
  expect(places.taken()).toBe(0);
});

test("calls outside of any request, and calls inside of a call, take no place", async () => {
  const inner = codeTool("inner", async () => ({ kind: "value", value: null }));
  const places = createCallPlaces(
    testEngine([
      inner,
      codeTool("outer", async ({ signal }) => {
        await places.engine.call(CALLER, { name: "inner", args: {}, signal });
        return { kind: "value", value: places.taken() };
      }),
    ]),
    () => 1,
  );
  const call = () => places.engine.call(CALLER, { name: "outer", args: {}, signal: new AbortController().signal });
  expect(await call()).toMatchObject({ kind: "ok", value: 0 });
  expect(await places.take("a")?.hold(call)).toMatchObject({ kind: "ok", value: 1 });
  expect(places.taken()).toBe(0);
});

test.each<[string, unknown, boolean, boolean]>([
  ["a call", { id: 1, method: "tools/call", params: { name: "a" } }, true, true],
  ["a call that says it comes back", { id: 1, method: "tools/call", params: { name: "a", requestState: "x" } }, true, false],
  ["a call without parameters", { id: 1, method: "tools/call" }, true, true],
  ["a notification of that name", { method: "tools/call" }, false, false],
  ["a list", { id: 1, method: "tools/list" }, false, false],
  ["a cancellation", { method: "notifications/cancelled", params: { requestId: 1 } }, false, false],
  ["an answer", { id: 1, result: {} }, false, false],
  ["nothing", undefined, false, false],
])("%s begins a call, or not, by each protocol generation", (_what, message, legacy, modern) => {
  expect([beginsCall(message, true), beginsCall(message, false)]).toEqual([legacy, modern]);
});
