/** Isolates for tests: real ones, with every capability's guest, in the test's own process. */
import { loadCapabilities } from "../../src/capabilities/index.ts";
import type { CallFacts } from "../../src/core/capability.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { Isolate } from "../../src/sandbox/isolate.ts";
import type { GuestCaps, RealmSources } from "../../src/sandbox/isolate-contract.ts";
import { readRealmSources } from "../../src/sandbox/realm-sources.ts";

/** Caps as with default limits. */
export const CAPS: GuestCaps = {
  argumentsBytes: 1_048_576,
  resultBytes: 1_048_576,
  mediaBytes: 3_145_728,
  requestBodyBytes: 1_048_576,
  responseBodyBytes: 5_242_880,
  logBytes: 65_536,
  hostCallsPerCall: 50,
  messageCharacters: 4_096,
};

/** What a test isolate is made with. */
export interface HarnessOptions {
  readonly hardened: boolean;
  readonly caps?: Partial<GuestCaps>;
  readonly memoryMb?: number;
  /** Changes the texts of the realm, to plant something. */
  readonly change?: (sources: RealmSources) => RealmSources;
}

/** A host call a script made. */
export interface HostCallSeen {
  readonly sequence: number;
  readonly method: string;
  readonly params: JsonObject;
}

/** All that came out of a call. */
export interface CallSeen {
  /** The outcome; a value is parsed. Undefined if the call had none. */
  readonly outcome: JsonObject | undefined;
  readonly notices: readonly { readonly name: string; readonly params: JsonObject }[];
  readonly hostCalls: readonly HostCallSeen[];
}

/** How host calls are answered; undefined: never. */
export type Answer = (call: HostCallSeen) => { readonly ok: boolean; readonly payload: JsonObject } | undefined;

/** An isolate without a script. */
export async function makeIsolate({ hardened, caps = {}, memoryMb = 64, change = (sources) => sources }: HarnessOptions): Promise<Isolate> {
  const sources = change(readRealmSources(loadCapabilities()));
  return await Isolate.create({ memoryMb, hardened, sources, caps: { ...CAPS, ...caps } });
}

/** An isolate with a script; throws if the script does not load. */
export async function loadIsolate(source: string, options: HarnessOptions): Promise<Isolate> {
  const isolate = await makeIsolate(options);
  const loaded = await isolate.load({ source, file: "scripts/a.js", entry: "main" });
  if (!loaded.ok) throw new Error(`${loaded.message} (${loaded.line}:${loaded.column})`);
  return isolate;
}

/** Facts of a call with these arguments. */
export function factsOf(callId: string, args: JsonObject): CallFacts {
  return {
    callId,
    args,
    tool: { name: "echo", title: "Echo", description: "Gives back." },
    config: { city: "Bern", nested: { list: [1] } },
    agent: { id: "default", instanceId: "i-1" },
    run: { origin: "cli", startedAt: "2026-01-02T03:04:05.000Z", timeoutMs: 10_000 },
  };
}

/** Runs one call; rejects as `Isolate.run` does. */
export async function runCall(
  isolate: Isolate,
  {
    args = {},
    timeoutMs = 10_000,
    answer = () => undefined,
  }: { readonly args?: JsonObject; readonly timeoutMs?: number; readonly answer?: Answer } = {},
): Promise<CallSeen> {
  const id = `call-${isolate.calls}`;
  const notices: { readonly name: string; readonly params: JsonObject }[] = [];
  const hostCalls: HostCallSeen[] = [];
  let outcome: JsonObject | undefined;
  await isolate.run(
    { id, factsJson: JSON.stringify(factsOf(id, args)), timeoutMs },
    {
      onHostCall(sequence, method, paramsJson) {
        const seen = { sequence, method, params: JSON.parse(paramsJson) };
        hostCalls.push(seen);
        const given = answer(seen);
        if (given !== undefined) isolate.deliver(id, sequence, given.ok, JSON.stringify(given.payload));
      },
      onNotice(name, paramsJson) {
        notices.push({ name, params: JSON.parse(paramsJson) });
      },
      onDone(outcomeJson) {
        if (outcome !== undefined) throw new Error("a call was done twice");
        const { json, ...rest }: JsonObject = JSON.parse(outcomeJson);
        outcome = typeof json === "string" ? { ...rest, value: JSON.parse(json) } : rest;
      },
    },
  );
  return { outcome, notices, hostCalls };
}

/** Loads the script, runs it once and drops the isolate; gives what came out. */
export async function runOnce(
  source: string,
  options: HarnessOptions & { readonly args?: JsonObject; readonly timeoutMs?: number; readonly answer?: Answer },
): Promise<CallSeen> {
  using isolate = await loadIsolate(source, options);
  return await runCall(isolate, options);
}

/** Outcome of one run of `async function main(args) { <body> }`. */
export async function outcomeOf(body: string, options: Parameters<typeof runOnce>[1]): Promise<JsonObject | undefined> {
  return (await runOnce(`async function main(args) { ${body} }`, options)).outcome;
}

/** An answer of the host to g.http, with what differs from an empty 200. */
export function httpAnswer(fields: JsonObject): { readonly ok: true; readonly payload: JsonObject } {
  const empty = {
    status: 200,
    statusText: "OK",
    headers: {},
    setCookie: [],
    bodyText: "",
    url: "https://api.example.com/",
    redirected: false,
  };
  return { ok: true, payload: { ...empty, ...fields } };
}
