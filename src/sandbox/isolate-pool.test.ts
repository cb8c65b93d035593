import { expect, onTestFinished, test } from "vitest";
import { eventually, testCall } from "../../test/support/sandbox-call.ts";
import { defaultLimits } from "../core/limits.ts";
import type { PoolSettings } from "./border.ts";
import { guestCaps, poolSettings } from "./guest-caps.ts";
import { Isolate } from "./isolate.ts";
import { IsolatePool, type IsolateRequest, type Lease } from "./isolate-pool.ts";
import { readRealmSources } from "./realm-sources.ts";

const sources = readRealmSources([]);
const caps = guestCaps(defaultLimits());

/** A pool of real isolates, and the sizes of all it has made. */
function openPool(settings: Partial<PoolSettings> = {}): {
  readonly pool: IsolatePool;
  readonly made: { readonly memoryMb: number; readonly hardened: boolean }[];
} {
  const made: { readonly memoryMb: number; readonly hardened: boolean }[] = [];
  const pool = new IsolatePool({
    ...poolSettings(defaultLimits()),
    ...settings,
    sources,
    caps,
    make: async (options) => {
      made.push({ memoryMb: options.memoryMb, hardened: options.hardened });
      return await Isolate.create(options);
    },
  });
  onTestFinished(() => pool[Symbol.dispose]());
  return { pool, made };
}

function request(source: string, isolation: "tool" | "call" = "tool", memoryMb = 64): IsolateRequest {
  const { key, file, entry } = testCall(source).script;
  return { isolation, memoryMb, script: { key, source, file, entry } };
}

function isolateOf(lease: Lease | undefined): Isolate {
  if (lease?.ok !== true) throw new Error("no isolate");
  const { isolate } = lease;
  if (!(isolate instanceof Isolate)) throw new Error("no isolate");
  return isolate;
}

async function runOnce(isolate: Isolate, source: string): Promise<void> {
  const events = { onHostCall: (): void => undefined, onNotice: (): void => undefined, onDone: (): void => undefined };
  await isolate.run({ id: crypto.randomUUID(), factsJson: JSON.stringify(testCall(source).facts), timeoutMs: 5_000 }, events);
}

const first = "async function main() { return 1 }";
const second = "async function main() { return 2 }";

test("an isolate given back serves the next call of its script, and no other script", async () => {
  const { pool } = openPool();
  const isolate = isolateOf(await pool.takeNew(request(first)));
  expect(pool.takeKept(request(first))).toBeUndefined();
  pool.giveBack(isolate, request(first));
  expect(pool.takeKept(request(second))).toBeUndefined();
  expect(pool.takeKept(request(first, "tool", 32))).toBeUndefined();
  expect(isolateOf(pool.takeKept(request(first)))).toBe(isolate);
  expect(pool.takeKept(request(first))).toBeUndefined();
});

test('an isolate of mode "call" is not hardened and is never given out again', async () => {
  const { pool, made } = openPool();
  const isolate = isolateOf(await pool.takeNew(request(first, "call")));
  pool.giveBack(isolate, request(first, "call"));
  expect(isolate.isDisposed).toBe(true);
  expect(pool.takeKept(request(first, "call"))).toBeUndefined();
  expect(made).toEqual([{ memoryMb: 64, hardened: false }]);
});

test("spares are made ahead once and taken by calls of their size; other sizes are made when they are needed", async () => {
  const { pool, made } = openPool();
  await pool.prepare();
  await pool.prepare();
  expect(made).toEqual([
    { memoryMb: 64, hardened: true },
    { memoryMb: 64, hardened: false },
  ]);
  await pool.takeNew(request(first));
  await pool.takeNew(request(first, "call"));
  expect(made).toHaveLength(2);
  await pool.takeNew(request(first, "tool", 48));
  expect(made.at(-1)).toEqual({ memoryMb: 48, hardened: true });
  pool.refillSoon();
  pool.refillSoon();
  await eventually("both spares are made again", 5_000, () => made.length === 5);
});

test("too many kept isolates: the least recently used go", async () => {
  const { pool } = openPool({ keptIsolates: 2 });
  const sourcesInOrder = [first, second, "async function main() { return 3 }"];
  const isolates: Isolate[] = [];
  for (const source of sourcesInOrder) isolates.push(isolateOf(await pool.takeNew(request(source))));
  for (const [index, source] of sourcesInOrder.entries()) {
    const isolate = isolates[index];
    if (isolate !== undefined) pool.giveBack(isolate, request(source));
  }
  expect(isolates.map(({ isDisposed }) => isDisposed)).toEqual([true, false, false]);
});

test("kept isolates over their memory together: the least recently used go", async () => {
  const { pool } = openPool({ keptIsolatesMb: 100 });
  const older = isolateOf(await pool.takeNew(request(first)));
  const newer = isolateOf(await pool.takeNew(request(second)));
  pool.giveBack(older, request(first));
  pool.giveBack(newer, request(second));
  expect([older.isDisposed, newer.isDisposed]).toEqual([true, false]);
});

test("an isolate is not kept after its number of calls", async () => {
  const { pool } = openPool({ callsPerIsolate: 2 });
  const isolate = isolateOf(await pool.takeNew(request(first)));
  await runOnce(isolate, first);
  pool.giveBack(isolate, request(first));
  expect(isolateOf(pool.takeKept(request(first)))).toBe(isolate);
  await runOnce(isolate, first);
  pool.giveBack(isolate, request(first));
  expect(isolate.isDisposed).toBe(true);
});

test("an isolate whose heap is over half of its limit is not kept", async () => {
  const { pool } = openPool();
  const source = "async function main() { for (let n = 0; n < 4; n++) Symbol.for('x'.repeat(9e6) + n); return 1 }";
  const isolate = isolateOf(await pool.takeNew(request(source)));
  await runOnce(isolate, source);
  expect(isolate.heapUsedMb()).toBeGreaterThan(32);
  pool.giveBack(isolate, request(source));
  expect(isolate.isDisposed).toBe(true);
});

test("an isolate nobody used for its idle time is dropped", async () => {
  const { pool } = openPool({ idleMs: 100 });
  const isolate = isolateOf(await pool.takeNew(request(first)));
  pool.giveBack(isolate, request(first));
  await eventually("the isolate is dropped", 3_000, () => isolate.isDisposed);
  expect(pool.takeKept(request(first))).toBeUndefined();
});

test("a script that does not load leaves no isolate behind and says why", async () => {
  const { pool } = openPool();
  const lease = await pool.takeNew(request("async function main() {\n  let x = ; }"));
  expect(lease).toEqual({ ok: false, message: expect.stringContaining("Unexpected token"), line: 2, column: 11 });
});
