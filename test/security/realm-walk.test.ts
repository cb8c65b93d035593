import { expect, test } from "vitest";
import type { RealmSources } from "../../src/sandbox/isolate-contract.ts";
import { makeIsolate, outcomeOf } from "../support/isolate-harness.ts";

/** What the walk says of a realm with this change; "" if the realm is closed. */
async function findingsOf(change: (sources: RealmSources) => RealmSources): Promise<string> {
  try {
    using isolate = await makeIsolate({ hardened: true, change });
    return isolate.isDisposed ? "disposed" : "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A change of the hardening; throws where the text is not found, so that the test cannot go stale. */
function withoutLine(text: string, instead = ""): (sources: RealmSources) => RealmSources {
  return (sources) => {
    if (!sources.harden.includes(text)) throw new Error(`harden.js has no ${text}`);
    return { ...sources, harden: sources.harden.replace(text, instead) };
  };
}

function withGuest(guest: string): (sources: RealmSources) => RealmSources {
  return (sources) => ({ ...sources, capabilities: [...sources.capabilities, { name: "planted", guest }] });
}

function withShim(shim: string): (sources: RealmSources) => RealmSources {
  return (sources) => ({ ...sources, shims: [shim] });
}

test("the walk finds nothing open in the realm that is used, with every capability", async () => {
  expect(await findingsOf((sources) => sources)).toBe("");
});

/** A step of the hardening that is left out, and the path at which the walk sees it. */
const LEFT_OUT: readonly (readonly [line: string, finding: string, instead?: string])[] = [
  ["for (const hidden of hiddenPrototypes()) harden(hidden);", "Intl.Segmenter"],
  ["harden(globalThis);", "<Intl.DurationFormat>"],
  ["globalThis.Error = SharedError;", "stackTraceLimit (setter)"],
  ["Object.setPrototypeOf(SuppressedError, SharedError);", "the engine's own Error", "{}"],
  ['Object.defineProperty(get, "originalValue", { value });', ".toLocaleString"],
];

test.for(LEFT_OUT)("a hardening without %s is refused", async ([line, finding, instead]) => {
  const message = await findingsOf(withoutLine(line, instead));
  expect(message).toContain("The realm is not closed; open are:");
  expect(message).toContain(finding);
});

test("what could hold state or memory beyond a call, and the names of ses, are gone from the realm", async () => {
  const names = [
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "FinalizationRegistry",
    "WeakRef",
    "console",
    "lockdown",
    "repairIntrinsics",
  ];
  const all = [...names, "hardenIntrinsics", "Compartment", "ModuleSource", "assert", "harden", "getStackString"];
  const buffer = ["resize", "resizable", "maxByteLength", "transfer", "transferToFixedLength", "immutable"];
  const body = `const real = Object.getPrototypeOf(globalThis);
    return [${JSON.stringify(all)}.filter((name) => name in real), ${JSON.stringify(buffer)}.filter((name) => name in ArrayBuffer.prototype), Symbol.for("harden") in Object];`;
  expect(await outcomeOf(body, { hardened: true })).toEqual({ kind: "value", value: [[], [], false] });
});

/** Guests that keep something a script of the next call could reach. */
const SHARING_GUESTS: readonly (readonly [what: string, guest: string, finding: string])[] = [
  ["an object", "(() => { const shared = {}; return () => ({ member: Object.freeze({ shared }) }); })()", "planted.shared"],
  ["a function", "(() => { const shared = () => 1; return () => ({ member: { shared } }); })()", "planted.shared"],
  ["a member", "(() => { const member = { list: [] }; return () => ({ member }); })()", "planted"],
  [
    "an object behind a getter",
    "(() => { const shared = {}; return () => ({ member: { get shared() { return shared; } } }); })()",
    "planted.shared",
  ],
  ["a class", "(() => { class Planted {} return () => ({ member: new Planted() }); })()", "planted.__proto__"],
  ["a global", "(() => { const shared = {}; return () => ({ globals: { planted: shared } }); })()", "call["],
];

test.for(SHARING_GUESTS)("a guest that shares %s between calls is refused", async ([, guest, finding]) => {
  const message = await findingsOf(withGuest(guest));
  expect(message).toContain("The realm is not closed; open are:");
  expect(message).toContain(finding);
});

test("web names that calls share are refused, each of them", async () => {
  const perCall = "state.web[kind] ??= web().groups[kind](state);";
  const shared = (sources: RealmSources): RealmSources => {
    if (!sources.prelude.includes(perCall)) throw new Error(`web-names.js has no ${perCall}`);
    return { ...sources, prelude: sources.prelude.replace(perCall, "state.web[kind] ??= web()[kind] ??= web().groups[kind](state);") };
  };
  expect(await findingsOf(shared)).toContain("The realm is not closed; open are:");
  // The list of findings is short, so each kind is shared by itself.
  for (const kind of ["errors", "events", "abort", "url", "encoding", "files", "headers", "request", "response", "crypto", "time"]) {
    const one = (sources: RealmSources): RealmSources => ({
      ...sources,
      prelude: sources.prelude.replace(
        perCall,
        `state.web[kind] ??= kind === "${kind}" ? web()[kind] ??= web().groups[kind](state) : web().groups[kind](state);`,
      ),
    });
    expect(await findingsOf(one), kind).not.toBe("");
  }
});

test("a guest that makes everything per call is taken", async () => {
  expect(await findingsOf(withGuest("() => ({ member: { list: [{}], run: () => 1 }, globals: { Planted: class { a = 1; } } })"))).toBe("");
});

/** Web names put in before the hardening, with something it does not reach. */
const OPEN_SHIMS: readonly (readonly [what: string, shim: string, finding: string])[] = [
  [
    "a hidden object behind a getter",
    "(() => { const hidden = {}; globalThis.Planted = class { get hidden() { return hidden; } }; })()",
    "hidden",
  ],
  [
    "a setter with a variable",
    "(() => { let kept; globalThis.Planted = class { static get a() { return kept; } static set a(v) { kept = v; } }; })()",
    "Planted.a (setter)",
  ],
];

test.for(OPEN_SHIMS)("a shim with %s is refused", async ([, shim, finding]) => {
  const message = await findingsOf(withShim(shim));
  expect(message).toContain("The realm is not closed; open are:");
  expect(message).toContain(finding);
});

test("a shim without such a thing is hardened and taken", async () => {
  expect(await findingsOf(withShim("globalThis.Planted = class { static list = [{}]; get a() { return 1; } };"))).toBe("");
});
