/**
 * One V8 isolate with its realm: the only file that knows the library. It runs inside a sandbox process, serves one
 * call at a time, and gives out nothing but JSON text. No object of this process is reachable from a script; errors
 * are told as text made inside the isolate.
 * An isolate whose `run` rejected must be dropped. It never decides what a script may do.
 */
import ivm from "isolated-vm";
import { type CodeCache, createCodeCache, joinedScript } from "./code-cache.ts";
import type { GuestCaps, HostPort, IsolateEvents, IsolateOptions, IsolateScript, LoadResult, RealmSources } from "./isolate-contract.ts";
import { dropped, IsolateDropped, syntaxError } from "./isolate-contract.ts";
import { disposeQuietly } from "./quiet-dispose.ts";
import { randomText } from "./random-text.ts";
import { namesOf, type RealmNames } from "./realm-names.ts";
import { answerTooLong, closeCall, factsTooLong, isIdle, openCall, type RunningCall, setCallTimer } from "./running-call.ts";
import { wrapScript } from "./script-wrapper.ts";

/** Longest time for making a realm or loading a script, in milliseconds; usual are 80 and 5. */
const SETUP_TIMEOUT_MS = 20_000;

/** The guest's first rejection of every turn; see `beginTurn` in guest/calls.js. */
const TURN_MARK = "toolyard:turn";

/** Room for the facts of a call beside its arguments, and for an answer beside its body, in bytes of JSON text. */
const ENVELOPE_BYTES = 65_536;

const BORDER_FILE = "toolyard:border";

/** Compiled code of realm sources, and the sources joined. */
export type IsolateCode = CodeCache<ivm.ExternalCopy<ArrayBuffer>>;

type RealmFunction = "check" | "setScript" | "start" | "deliver" | "fireTimer" | "endStalled";

type Realm = Readonly<Record<RealmFunction, ivm.Reference>> & { readonly names: RealmNames };

interface IsolateParts {
  readonly isolate: ivm.Isolate;
  readonly context: ivm.Context;
  readonly realm: Realm;
  readonly caps: GuestCaps;
  readonly port: HostPort;
}

/** See the head of this file. */
export class Isolate implements Disposable {
  readonly #isolate: ivm.Isolate;
  readonly #context: ivm.Context;
  readonly #realm: Realm;
  readonly #caps: GuestCaps;
  #call: RunningCall | undefined;
  #isLoaded = false;
  #turns = 0;
  #calls = 0;
  #cpuMs = 0;
  #heapMb = 0;

  /** For `create` only. */
  constructor({ isolate, context, realm, caps, port }: IsolateParts) {
    this.#isolate = isolate;
    this.#context = context;
    this.#realm = realm;
    this.#caps = caps;
    port.listener = {
      call: (sequence, method, paramsJson) => this.#onHostCall(sequence, method, paramsJson),
      notice: (name, paramsJson) => this.#call?.events.onNotice(name, paramsJson),
      done: (outcomeJson) => this.#onDone(outcomeJson),
      timer: (timerId, delayMs) => this.#onTimer(timerId, delayMs),
    };
  }

  /** A new isolate, ready for `load`. Throws if the realm cannot be made, or if a hardened one is not closed. */
  static async create(options: IsolateOptions, codeCache: IsolateCode = createCodeCache()): Promise<Isolate> {
    const onCatastrophicError = options.onCatastrophe ?? (() => process.kill(process.pid, "SIGKILL"));
    const isolate = new ivm.Isolate({ memoryLimit: options.memoryMb, onCatastrophicError });
    try {
      const context = await isolate.createContext();
      const port: HostPort = { listener: undefined };
      const realm = await makeRealm({ isolate, context, port }, options, codeCache);
      return new Isolate({ isolate, context, realm, caps: options.caps, port });
    } catch (error) {
      disposeQuietly(isolate);
      throw error;
    }
  }

  /** Compiles the script once; every call runs the same code in a new scope. Nothing of it runs here. */
  async load(script: IsolateScript): Promise<LoadResult> {
    const names = namesOf(script.source, this.#realm.names);
    const { code, body, columnOffset } = wrapScript(script, names.join(","));
    try {
      const refusal = String(await this.#realm.check.apply(undefined, [body], { timeout: SETUP_TIMEOUT_MS }));
      const compiled = await this.#isolate.compileScript(code, { filename: script.file, columnOffset });
      if (refusal !== "") return { ok: false, message: "A bracket closes more than the script opened." };
      const factory = await compiled.run(this.#context, { reference: true, timeout: SETUP_TIMEOUT_MS });
      const values = [factory.derefInto(), script.file, script.entry, JSON.stringify(names)];
      await this.#realm.setScript.apply(undefined, values, { timeout: SETUP_TIMEOUT_MS });
      compiled.release();
      this.#isLoaded = true;
      return { ok: true };
    } catch (error) {
      if (this.#isolate.isDisposed) throw dropped(error);
      return syntaxError(error, script.file);
    }
  }

  /**
   * Runs the loaded script for one call. Resolves when its outcome was told **and** nothing of it runs any more;
   * rejects with `IsolateDropped` if the isolate must be dropped, also after the outcome was told.
   */
  async run(
    { id, factsJson, timeoutMs }: { readonly id: string; readonly factsJson: string; readonly timeoutMs: number },
    events: IsolateEvents,
  ): Promise<void> {
    if (this.#isolate.isDisposed) throw new IsolateDropped("disposed", "the isolate was used before this call");
    if (this.#call !== undefined || !this.#isLoaded) throw new Error("An isolate serves one call at a time, after its script is loaded.");
    const bytes = Buffer.byteLength(factsJson);
    if (bytes > this.#caps.argumentsBytes + ENVELOPE_BYTES) {
      events.onDone(factsTooLong(bytes, this.#caps));
      return;
    }
    const onLimit = (): void => this.#drop(new IsolateDropped("timeout", `the call ran past ${timeoutMs} ms`));
    const call = openCall({ id, timeoutMs }, events, onLimit);
    this.#call = call;
    this.#turn(call, this.#realm.start, [id, factsJson]);
    try {
      await call.finished.promise;
    } finally {
      call.clock[Symbol.dispose]();
      closeCall(call);
      this.#call = undefined;
      this.#calls += 1;
    }
  }

  /** The answer of a host call: the value as JSON, or {"code","message"} if not `ok`. Ignored if nobody waits for it. */
  deliver(callId: string, sequence: number, ok: boolean, payloadJson: string): void {
    const call = this.#call;
    if (call === undefined || call.id !== callId || call.isDone || !call.pending.delete(sequence)) return;
    // JSON text takes at most six characters for one byte; the server has counted bytes already.
    const isTooLong = payloadJson.length > 6 * this.#caps.responseBodyBytes + ENVELOPE_BYTES;
    const [isAnswer, payload] = isTooLong ? [false, answerTooLong(this.#caps)] : [ok, payloadJson];
    this.#turn(call, this.#realm.deliver, [callId, sequence, isAnswer, payload]);
  }

  /** The call's time stands still, or goes on. */
  setPaused(callId: string, isPaused: boolean): void {
    if (this.#call?.id === callId) this.#call.clock.setPaused(isPaused);
  }

  /** Keeps the border's code as it is compiled by now, for other isolates: V8 compiles a function when it is first called. */
  async keepCode(border: string, codeCache: IsolateCode): Promise<void> {
    const script = await this.#isolate.compileScript(border, { filename: BORDER_FILE, produceCachedData: true });
    keepProduced(border, script, codeCache);
  }

  /** Ends the isolate and what runs in it; `run` rejects. Idempotent. */
  dispose(): void {
    this.#drop(new IsolateDropped("disposed", "the isolate was ended"));
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  get isDisposed(): boolean {
    return this.#isolate.isDisposed;
  }

  /** True while code of the isolate may be on a thread; false while its call waits for an answer or timer, and when idle. */
  get isRunning(): boolean {
    return this.#turns > 0;
  }

  /** Calls that have ended. */
  get calls(): number {
    return this.#calls;
  }

  /** CPU time of the isolate so far, in milliseconds; what was last known once it is disposed. */
  cpuMs(): number {
    if (!this.#isolate.isDisposed) this.#cpuMs = Number(this.#isolate.cpuTime) / 1_000_000;
    return this.#cpuMs;
  }

  /** Heap and buffers in MiB; what was last known while it runs, because asking would wait for the script. */
  heapUsedMb(): number {
    if (!this.#isolate.isDisposed && this.#turns === 0) {
      const { used_heap_size, externally_allocated_size } = this.#isolate.getHeapStatisticsSync();
      this.#heapMb = (used_heap_size + externally_allocated_size) / 1_048_576;
    }
    return this.#heapMb;
  }

  /** Enters the isolate; the turn ends when its last microtask has run. */
  #turn(call: RunningCall, entry: ivm.Reference, values: readonly (string | number | boolean)[]): void {
    this.#turns += 1;
    const timeout = call.clock.beginTurn();
    const ended = (error: unknown): void => {
      this.#turns -= 1;
      call.clock.endTurn();
      if (error !== TURN_MARK) this.#drop(dropped(error));
      else if (this.#turns > 0) return;
      else if (call.isDone) call.finished.resolve();
      // What the turn asked for has come out before its end, so nothing will enter this call any more.
      else if (entry !== this.#realm.endStalled && isIdle(call)) this.#turn(call, this.#realm.endStalled, [call.id]);
    };
    // A turn without the guest's mark was cut off: by the time limit, by memory, or by an error of the library.
    entry.apply(undefined, [...values], { timeout }).then(() => ended(new Error("a turn ended without its mark")), ended);
  }

  #onHostCall(sequence: number, method: string, paramsJson: string): void {
    const call = this.#call;
    if (call === undefined || call.isDone) return;
    call.pending.add(sequence);
    call.events.onHostCall(sequence, method, paramsJson);
  }

  #onDone(outcomeJson: string): void {
    const call = this.#call;
    if (call === undefined || call.isDone) return;
    closeCall(call);
    call.events.onDone(outcomeJson);
  }

  #onTimer(timerId: number, delayMs: number): void {
    const call = this.#call;
    if (call === undefined || call.isDone) return;
    setCallTimer(call, timerId, delayMs, () => this.#turn(call, this.#realm.fireTimer, [call.id, timerId]));
  }

  #drop(reason: IsolateDropped): void {
    this.cpuMs();
    disposeQuietly(this.#isolate);
    this.#call?.finished.reject(reason);
  }
}

/** A member the library's types leave out. */
function keepProduced(source: string, script: ivm.Script, { compiled }: IsolateCode): void {
  const produced: unknown = Reflect.get(script, "cachedData");
  if (produced instanceof ivm.ExternalCopy) compiled.set(source, produced);
}

async function makeRealm(
  { isolate, context, port }: Pick<IsolateParts, "isolate" | "context" | "port">,
  { sources, hardened, caps }: IsolateOptions,
  codeCache: IsolateCode,
): Promise<Realm> {
  const timeout = SETUP_TIMEOUT_MS;
  const evaluate = async (source: string, filename: string): Promise<ivm.Reference> => {
    const cachedData = codeCache.compiled.get(source);
    const script = await isolate.compileScript(source, { filename, ...(cachedData ? { cachedData } : { produceCachedData: true }) });
    if (!cachedData) keepProduced(source, script, codeCache);
    return await script.run(context, { reference: true, timeout, release: true });
  };
  for (const [index, shim] of (sources.shims ?? []).entries()) await evaluate(shim, `toolyard:shim-${index}`);
  const realm = await evaluate(joinedScript(codeCache, sources), BORDER_FILE);
  // Without a change of thread: nothing of a script has run, and a member is only read.
  const member = (name: string): ivm.Reference => realm.getSync(name, { reference: true });
  const names: RealmNames = JSON.parse(String(await member("seal").apply(undefined, [JSON.stringify(caps)], { timeout })));
  if (hardened) await hardenRealm(realm, evaluate, sources);
  await member("connect").apply(undefined, [...callbacksOf(port, sources.hostNames)], { timeout });
  return {
    check: member("check"),
    setScript: member("setScript"),
    start: member("start"),
    deliver: member("deliver"),
    fireTimer: member("fireTimer"),
    endStalled: member("endStalled"),
    names,
  };
}

/** In the order `connect` of guest/prelude.js takes them. Of this process nothing goes in but random text and the text of a library. */
function callbacksOf(port: HostPort, hostNames: string): readonly ivm.Callback[] {
  return [
    new ivm.Callback((id: number, method: string, params: string) => port.listener?.call(id, method, params), { ignored: true }),
    new ivm.Callback((name: string, params: string) => port.listener?.notice(name, params), { ignored: true }),
    new ivm.Callback((outcome: string) => port.listener?.done(outcome), { ignored: true }),
    new ivm.Callback((timerId: number, delayMs: number) => port.listener?.timer(timerId, delayMs), { ignored: true }),
    new ivm.Callback(randomText),
    new ivm.Callback(() => hostNames),
  ];
}

async function hardenRealm(
  realm: ivm.Reference,
  evaluate: (source: string, filename: string) => Promise<ivm.Reference>,
  { ses, harden }: RealmSources,
): Promise<void> {
  // ses adds methods to ArrayBuffer that cannot be removed again, unless it finds this one. The hardening removes it.
  await evaluate("ArrayBuffer.prototype.sliceToImmutable = undefined;", "toolyard:ses");
  await evaluate(ses, "toolyard:ses");
  const closeRealm = await evaluate(harden, "toolyard:harden");
  const open = String(await closeRealm.apply(undefined, [realm.derefInto()], { timeout: SETUP_TIMEOUT_MS }));
  if (open !== "") throw new Error(`The realm is not closed; open are: ${open.split("\n").join(", ")}.`);
}
