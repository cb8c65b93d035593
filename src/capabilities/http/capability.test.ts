import { expect, test } from "vitest";
import type { CapabilityContext, HostMethod, ScriptRequest, ScriptResponse } from "../../core/capability.ts";
import { createHttpCapability } from "./capability.ts";

const answer: ScriptResponse = {
  status: 200,
  statusText: "OK",
  headers: { a: "b" },
  setCookie: [],
  body: { kind: "text", text: "hi" },
  url: "https://x.example/",
  redirected: false,
};

function contextOf(request: CapabilityContext["request"]): CapabilityContext {
  return {
    callId: "id",
    toolName: "probe",
    signal: new AbortController().signal,
    remainingMs: () => 1_000,
    log: () => undefined,
    progress: () => undefined,
    request,
    ask: () => Promise.reject(new Error("nobody is asked here")),
  };
}

function method(): HostMethod<unknown> {
  const found = createHttpCapability().methods.get("makeHttpRequest");
  if (found === undefined) throw new Error("makeHttpRequest is missing");
  return found;
}

test("without a network a request answers UNAVAILABLE", async () => {
  await expect(method().run(contextOf(undefined), method().params.parse({ url: "https://x.example/" }))).rejects.toMatchObject({
    code: "UNAVAILABLE",
  });
});

test("a request gets its defaults and goes out with the call's signal", async () => {
  const sent: [ScriptRequest, AbortSignal][] = [];
  const context = contextOf((request, signal) => {
    sent.push([request, signal]);
    return Promise.resolve(answer);
  });
  const run = (params: unknown) => method().run(context, method().params.parse(params));
  expect(await run({ url: "https://x.example/" })).toEqual({
    status: 200,
    statusText: "OK",
    headers: { a: "b" },
    setCookie: [],
    bodyText: "hi",
    url: "https://x.example/",
    redirected: false,
  });
  await run({ url: "https://x.example/", body: { kind: "text", text: "t" }, timeoutMs: 5, redirect: "manual", headers: { a: "b" } });
  expect(sent.map(([request]) => request)).toEqual([
    { url: "https://x.example/", method: "GET", headers: {}, body: { kind: "none" }, redirect: "follow" },
    { url: "https://x.example/", method: "POST", headers: { a: "b" }, body: { kind: "text", text: "t" }, timeoutMs: 5, redirect: "manual" },
  ]);
  expect(sent[0]?.[1]).toBe(context.signal);
});

test("an answer that is not text is handed over as base64", async () => {
  const context = contextOf(() => Promise.resolve({ ...answer, body: { kind: "bytes", base64: "//4A" } }));
  expect(await method().run(context, { url: "https://x.example/" })).toMatchObject({ bodyBase64: "//4A" });
});

test("a request ends when its script aborts it, and only that one", async () => {
  const capability = createHttpCapability();
  const [makeHttpRequest, abort] = [capability.methods.get("makeHttpRequest"), capability.notices.get("abort")];
  if (makeHttpRequest === undefined || abort === undefined) throw new Error("a part is missing");
  const signals: AbortSignal[] = [];
  const context = contextOf((_request, signal) => {
    signals.push(signal);
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  });
  const [first, second] = [1, 2].map((number) => makeHttpRequest.run(context, { url: "https://x.example/", abort: number }));
  abort.accept({ ...context, callId: "another" }, { abort: 1 });
  abort.accept(context, { abort: 7 });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  abort.accept(context, { abort: 1 });
  await expect(first).rejects.toThrow("aborted");
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  abort.accept(context, { abort: 2 });
  await expect(second).rejects.toThrow("aborted");
});

const malformed: readonly unknown[] = [
  null,
  {},
  { url: 1 },
  { url: "x".repeat(16_385) },
  { url: "https://x.example/", method: 1 },
  { url: "https://x.example/", headers: { a: 1 } },
  { url: "https://x.example/", headers: [] },
  { url: "https://x.example/", body: "text" },
  { url: "https://x.example/", body: { kind: "bytes", base64: "!" } },
  { url: "https://x.example/", timeoutMs: 0 },
  { url: "https://x.example/", redirect: "yes" },
  { url: "https://x.example/", abort: 0 },
  { url: "https://x.example/", proxy: "http://evil.example" },
];

test.each(malformed.map((params) => ({ params, shown: JSON.stringify(params).slice(0, 80) })))(
  "parameters $shown are refused",
  ({ params }) => {
    expect(method().params.safeParse(params).success).toBe(false);
  },
);
