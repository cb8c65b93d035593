/** Ways to run a script inside this process or its own sandbox processes, each with a fresh realm for every call or one that is as good. */
import ivm from "isolated-vm";
import { getQuickJS, type QuickJSContext, type QuickJSRuntime } from "quickjs-emscripten";
import { loadCapabilities } from "../src/capabilities/index.ts";
import { newId } from "../src/core/ids.ts";
import type { JsonValue } from "../src/core/json.ts";
import { defaultLimits } from "../src/core/limits.ts";
import { silentLog } from "../src/core/log.ts";
import { createCodeCache } from "../src/sandbox/code-cache.ts";
import { guestCaps } from "../src/sandbox/guest-caps.ts";
import { Isolate, type IsolateCode } from "../src/sandbox/isolate.ts";
import { readRealmSources } from "../src/sandbox/realm-sources.ts";
import { Sandbox } from "../src/sandbox/sandbox.ts";
import { warmCode } from "../src/sandbox/warm-code.ts";
import type { BenchScript } from "./sandbox-scripts.ts";

/** One way to run scripts. */
export interface Way {
  readonly name: string;
  /** Gets ready for one script. */
  open(script: BenchScript): Promise<OpenWay>;
}

/** A way that is ready: each call runs the script once. */
export interface OpenWay {
  call(): Promise<JsonValue>;
  /** Ends what was opened, where something was. */
  close?(): Promise<void>;
}

type Facts = Parameters<Sandbox["run"]>[0]["facts"];

const MEMORY_MB = 64;
const TIMEOUT_MS = 30_000;
const capabilities = loadCapabilities();
const limits = defaultLimits();

/** Answer of the server to the only request there is. */
const emptyAnswer: JsonValue = {
  status: 204,
  statusText: "",
  headers: {},
  setCookie: [],
  bodyBase64: "",
  bodyText: "",
  url: "http://loopback/",
  redirected: false,
};

/** Ours, whole: queue, border, sandbox process, every cap. */
export function ours(isolation: "tool" | "call"): Way {
  return {
    name: `toolyard, mode "${isolation}"`,
    async open({ source, args }) {
      const sandbox = await Sandbox.start({ capabilities, limits, log: silentLog });
      const script = { key: source, source, file: "scripts/bench.js", entry: "main", isolation, memoryMb: MEMORY_MB };
      const { signal } = new AbortController();
      return {
        async call() {
          const callId = newId();
          const result = await sandbox.run({
            callId,
            agent: "default",
            tool: "bench",
            script,
            facts: factsOf(callId, args),
            timeoutMs: TIMEOUT_MS,
            timeoutHint: "",
            signal,
            onStart: () => undefined,
            onHostCall: async () => emptyAnswer,
            onNotice: () => undefined,
          });
          if (result.kind === "error") throw result.error;
          return result.kind === "value" ? result.value : null;
        },
        close: () => sandbox[Symbol.asyncDispose](),
      };
    },
  };
}

/** The library as it is: nothing in the realm but the language. */
export const bareIsolate: Way = {
  name: "isolated-vm in process, a bare isolate per call",
  async open({ source, args }) {
    const code = `${source};(args) => JSON.stringify(main(JSON.parse(args)))`;
    return {
      async call() {
        const isolate = new ivm.Isolate({ memoryLimit: MEMORY_MB });
        const context = await isolate.createContext();
        const script = await isolate.compileScript(code);
        const main = await script.run(context, { reference: true, timeout: TIMEOUT_MS });
        const answer: unknown = await main.apply(undefined, [JSON.stringify(args)], { timeout: TIMEOUT_MS });
        isolate.dispose();
        return JSON.parse(String(answer));
      },
    };
  },
};

/** What a call of a script needs of an isolate (`g`, the web's names, the caps), made anew for each call in this process. */
export const ownRealm: Way = {
  name: "isolated-vm in process, a new isolate with our realm per call",
  async open({ source, args }) {
    const codeCache: IsolateCode = createCodeCache();
    const parts = { memoryMb: MEMORY_MB, hardened: false, sources: readRealmSources(capabilities), caps: guestCaps(limits) };
    await warmCode(() => Isolate.create(parts, codeCache), parts.sources, codeCache);
    return {
      async call() {
        using isolate = await Isolate.create(parts, codeCache);
        await isolate.load({ source, file: "scripts/bench.js", entry: "main" });
        const id = newId();
        let outcome = "{}";
        const onDone = (text: string): void => {
          outcome = text;
        };
        const facts = { id, factsJson: JSON.stringify(factsOf(id, args)), timeoutMs: TIMEOUT_MS };
        await isolate.run(facts, { onHostCall: () => undefined, onNotice: () => undefined, onDone });
        const { json }: { readonly json: string } = JSON.parse(outcome);
        return JSON.parse(json);
      },
    };
  },
};

/** QuickJS in WebAssembly: a context per call in one runtime, or a runtime per call. */
export function quickJs(fresh: "context" | "runtime"): Way {
  return {
    name: `quickjs-emscripten in process, a ${fresh} per call`,
    async open({ source, args }) {
      const library = await getQuickJS();
      const makeRuntime = (): QuickJSRuntime => {
        const runtime = library.newRuntime();
        runtime.setMemoryLimit(MEMORY_MB * 1_048_576);
        return runtime;
      };
      const shared = fresh === "context" ? makeRuntime() : undefined;
      return {
        async call() {
          // It computes on this thread: calls at once wait for each other, which their durations must show.
          await undefined;
          const runtime = shared ?? makeRuntime();
          const endsAt = performance.now() + TIMEOUT_MS;
          runtime.setInterruptHandler(() => performance.now() > endsAt);
          const answer = runInContext(runtime.newContext(), source, args);
          if (shared === undefined) runtime.dispose();
          return JSON.parse(answer);
        },
        close: async () => shared?.dispose(),
      };
    },
  };
}

function runInContext(context: QuickJSContext, source: string, args: JsonValue): string {
  const main = context.unwrapResult(context.evalCode(`${source};(args) => JSON.stringify(main(JSON.parse(args)))`));
  const input = context.newString(JSON.stringify(args));
  const answer = context.unwrapResult(context.callFunction(main, context.undefined, input));
  const text = context.getString(answer);
  for (const handle of [answer, input, main]) handle.dispose();
  context.dispose();
  return text;
}

function factsOf(callId: string, args: Facts["args"]): Facts {
  return {
    callId,
    args,
    tool: { name: "bench", description: "Is measured" },
    config: {},
    agent: { id: "default", instanceId: "bench" },
    run: { origin: "cli", startedAt: "2026-01-01T00:00:00.000Z", timeoutMs: TIMEOUT_MS },
  };
}
