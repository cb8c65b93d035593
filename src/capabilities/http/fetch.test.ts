import { expect, test } from "vitest";
import { httpAnswer, loadIsolate, outcomeOf, runCall, runOnce } from "../../../test/support/isolate-harness.ts";
import type { JsonObject } from "../../core/json.ts";

const URL_TEXT = "https://a.example/x";
const PLAIN = "text/plain;charset=UTF-8";
const FORM = "application/x-www-form-urlencoded;charset=UTF-8";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Arguments of fetch, and the request that crosses the border. */
const REQUESTS: readonly (readonly [args: string, params: JsonObject])[] = [
  [`"${URL_TEXT}"`, { headers: {} }],
  [`new URL("${URL_TEXT}")`, { headers: {} }],
  [`"${URL_TEXT}", { method: "put", body: "é" }`, { method: "PUT", headers: { "content-type": PLAIN }, body: { kind: "text", text: "é" } }],
  [
    `"${URL_TEXT}", { method: "PATCH", headers: { "X-A": 1, "x-b": undefined } }`,
    { method: "PATCH", headers: { "x-a": "1", "x-b": "undefined" } },
  ],
  [`"${URL_TEXT}", { headers: new Headers([["a", "1"], ["A", "2"]]) }`, { headers: { a: "1, 2" } }],
  [`"${URL_TEXT}", { headers: [["a", "1"]] }`, { headers: { a: "1" } }],
  [`"${URL_TEXT}", { headers: new Map([["a", "1"]]) }`, { headers: { a: "1" } }],
  [
    `"${URL_TEXT}", { method: "POST", body: new URLSearchParams({ a: "b c" }) }`,
    { method: "POST", headers: { "content-type": FORM }, body: { kind: "text", text: "a=b+c" } },
  ],
  [
    `"${URL_TEXT}", { method: "POST", body: new Uint8Array([104, 105]), headers: { "Content-Type": "a/b" } }`,
    { method: "POST", headers: { "content-type": "a/b" }, body: { kind: "bytes", base64: base64("hi") } },
  ],
  [
    `"${URL_TEXT}", { method: "POST", body: new Blob(["hi"], { type: "a/b" }) }`,
    { method: "POST", headers: { "content-type": "a/b" }, body: { kind: "bytes", base64: base64("hi") } },
  ],
  [
    `"${URL_TEXT}", { method: "POST", body: JSON.stringify({ a: 1 }) }`,
    { method: "POST", headers: { "content-type": PLAIN }, body: { kind: "text", text: '{"a":1}' } },
  ],
  [
    `"${URL_TEXT}", { method: "POST", body: { a: 1 } }`,
    { method: "POST", headers: { "content-type": "application/json" }, body: { kind: "text", text: '{"a":1}' } },
  ],
  [`"${URL_TEXT}", { method: "patch" }`, { method: "patch", headers: {} }],
  [`new Request("${URL_TEXT}", { method: "patch" })`, { method: "patch", headers: {}, redirect: "follow", abort: 1 }],
  [
    `"${URL_TEXT}", { method: "Delete", body: "" }`,
    { method: "DELETE", headers: { "content-type": PLAIN }, body: { kind: "text", text: "" } },
  ],
  [`"${URL_TEXT}", { redirect: "manual" }`, { headers: {}, redirect: "manual" }],
  [`{ url: "${URL_TEXT}", headers: { a: "b" } }`, { headers: { a: "b" } }],
  [
    `new Request("${URL_TEXT}", { method: "POST", body: "x", headers: { a: "b" }, redirect: "error" })`,
    { method: "POST", headers: { a: "b", "content-type": PLAIN }, body: { kind: "text", text: "x" }, redirect: "error", abort: 1 },
  ],
  [
    `new Request("${URL_TEXT}", { method: "POST", body: "x" }), { body: "y", headers: { c: "d" } }`,
    { method: "POST", headers: { c: "d", "content-type": PLAIN }, body: { kind: "text", text: "y" }, redirect: "follow", abort: 1 },
  ],
];

test("fetch becomes a request of plain data", async () => {
  const source = `const make = [${REQUESTS.map(([args]) => `() => fetch(${args})`).join(",")}]; const main = async ({ index }) => (await make[index]()).status;`;
  using isolate = await loadIsolate(source, { hardened: true });
  for (const [index, [args, params]] of REQUESTS.entries()) {
    const { hostCalls, outcome } = await runCall(isolate, { args: { index }, answer: () => httpAnswer({}) });
    expect(outcome, args).toEqual({ kind: "value", value: 200 });
    expect(hostCalls[0]?.params, args).toEqual({ url: URL_TEXT, ...params });
  }
});

test("a form is sent as multipart with a boundary of its own", async () => {
  const source = `async function main() { const form = new FormData(); form.append("a", "é"); form.append("f", new Blob(["bytes"], { type: "t/u" }), "n.txt");
    for (const body of [form, form]) await fetch("${URL_TEXT}", { method: "POST", body }); }`;
  const { hostCalls } = await runOnce(source, { hardened: true, answer: () => httpAnswer({}) });
  const sent = hostCalls.map(({ params }) => JSON.parse(JSON.stringify(params)));
  const boundaries = sent.map(
    ({ headers }) => /^multipart\/form-data; boundary=(----toolyard-form-[0-9a-f]{24})$/.exec(headers["content-type"])?.[1],
  );
  expect(new Set(boundaries).size).toBe(2);
  for (const [index, { body }] of sent.entries()) {
    const text = Buffer.from(body.base64, "base64").toString().replaceAll(String(boundaries[index]), "B");
    expect(text).toBe(
      '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\né\r\n--B\r\nContent-Disposition: form-data; name="f"; filename="n.txt"\r\nContent-Type: t/u\r\n\r\nbytes\r\n--B--\r\n',
    );
  }
});

test("an answer is a Response, read once", async () => {
  const answer = () =>
    httpAnswer({
      status: 404,
      statusText: "Not Found",
      headers: { "x-a": "1" },
      setCookie: ["c=1", "d=2"],
      bodyText: '"é"',
      redirected: true,
    });
  const body = `const r = await fetch("${URL_TEXT}"); const bytes = await r.clone().bytes();
    return [r instanceof Response, r.ok, r.status, r.statusText, r.url, r.redirected, r.type, r.headers.get("X-A"), [...r.headers], r.headers.getSetCookie(),
      bytes, await r.clone().json(), (await r.clone().arrayBuffer()).byteLength, r.bodyUsed, await r.text(), r.bodyUsed, await r.json().catch((e) => e.name)];`;
  const headers = [
    ["set-cookie", "c=1"],
    ["set-cookie", "d=2"],
    ["x-a", "1"],
  ];
  const facts = [true, false, 404, "Not Found", "https://api.example.com/", true, "basic", "1", headers, ["c=1", "d=2"]];
  const read = [{ base64: base64('"é"') }, "é", 4, false, '"é"', true, "TypeError"];
  expect(await outcomeOf(body, { hardened: true, answer })).toEqual({ kind: "value", value: [...facts, ...read] });
});

/** An answer whose body is no text. */
function bytesAnswer(bodyBase64: string): ReturnType<typeof httpAnswer> {
  const { bodyText, ...payload } = httpAnswer({}).payload;
  return { ok: true, payload: { ...payload, bodyBase64 } };
}

test("bytes of an answer come as they are, and text of them with replacement characters", async () => {
  const answer = () => bytesAnswer(Buffer.from([0x61, 0xff]).toString("base64"));
  const body = `const r = await fetch("${URL_TEXT}"); return [await r.clone().bytes(), await r.clone().text(), (await r.blob()).size];`;
  expect(await outcomeOf(body, { hardened: true, answer })).toEqual({ kind: "value", value: [{ base64: "Yf8=" }, "a\ufffd", 2] });
});

test("the headers of an answer cannot be changed, and a Response is no result", async () => {
  const body = `const r = await fetch("${URL_TEXT}"); try { r.headers.set("a", "b"); } catch (error) { console.log(error.name, r, r.headers); } return { r };`;
  const seen = await runOnce(`async function main() { ${body} }`, { hardened: true, answer: () => httpAnswer({ headers: { a: "1" } }) });
  expect(seen.notices[0]?.params.text).toBe('TypeError Response 200 Headers {"a":"1"}');
  const message = "result.r is a Response; return what its json() or text() gives.";
  expect(seen.outcome).toEqual({ kind: "error", name: "Error", message, code: "SCRIPT_ERROR" });
});

test("what fetch refuses is a TypeError with a code, before the host hears of it", async () => {
  const wrong = [
    "",
    "5",
    `"${URL_TEXT}", 5`,
    `"${URL_TEXT}", { redirect: "x" }`,
    `"${URL_TEXT}", { method: 5 }`,
    `"${URL_TEXT}", { body: "x".repeat(1048577) }`,
    `"${URL_TEXT}", { method: "GET", body: "x" }`,
    `"${URL_TEXT}", { method: "head", body: "" }`,
    `"${URL_TEXT}", { method: "get", body: { a: 1 } }`,
    `new Request("${URL_TEXT}"), { body: "x" }`,
    `new Request("${URL_TEXT}", { method: "POST", body: "x" }), { method: "GET" }`,
    `"${URL_TEXT}", { headers: { "a b": "1" } }`,
    `"${URL_TEXT}", { headers: { a: "x\\ny" } }`,
    `"${URL_TEXT}", { headers: { a: "\u2026" } }`,
    `"${URL_TEXT}", { headers: { a: Symbol() } }`,
    `"${URL_TEXT}", { headers: { [Symbol()]: "a" } }`,
    `"${URL_TEXT}", { headers: [["a"]] }`,
    `"${URL_TEXT}", { headers: [5] }`,
    `"${URL_TEXT}", { signal: {} }`,
    `(() => { const used = new Request("${URL_TEXT}", { method: "POST", body: "x" }); void used.text(); return used; })()`,
  ];
  const body = `const seen = []; for (const make of [${wrong.map((args) => `() => fetch(${args})`).join(",")}]) await make().catch((e) => seen.push([e instanceof TypeError, e.code])); return seen;`;
  const seen = await runOnce(`async function main() { ${body} }`, { hardened: true });
  expect(seen.outcome).toEqual({ kind: "value", value: wrong.map(() => [true, "INVALID_REQUEST"]) });
  expect(seen.hostCalls).toEqual([]);
});

test("what a script's own header throws is handed on as it is, and a header of fetch that is not allowed is told by code and line", async () => {
  const own = `return await fetch("${URL_TEXT}", { headers: { a: { toString() { throw new RangeError("mine"); } } } }).catch((e) => [e.name, e.message, e.code ?? null]);`;
  expect(await outcomeOf(own, { hardened: true })).toEqual({ kind: "value", value: ["RangeError", "mine", null] });
  const uncaught = await outcomeOf(`await fetch("${URL_TEXT}", { headers: { a: "x\\ny" } })`, { hardened: true });
  expect(uncaught).toMatchObject({ name: "TypeError", code: "INVALID_REQUEST", file: "scripts/a.js", line: 1 });
});

const ABORTS: readonly (readonly [what: string, body: string, value: unknown, notices: number])[] = [
  ["before", `await fetch(U, { signal: AbortSignal.abort("why") }).catch((e) => e)`, "why", 0],
  [
    "while it waits",
    `(() => { const c = new AbortController(); setTimeout(() => c.abort(), 5); return fetch(U, { signal: c.signal }).catch((e) => [e.name, e.code]); })()`,
    ["AbortError", 20],
    1,
  ],
  ["by time", `await fetch(U, { signal: AbortSignal.timeout(5) }).catch((e) => e.name)`, "TimeoutError", 1],
  [
    "through a Request",
    `(() => { const c = new AbortController(); const q = new Request(U, { signal: c.signal }); setTimeout(() => c.abort("late"), 5); return fetch(q).catch((e) => e); })()`,
    "late",
    1,
  ],
  ["for g.http too", `await g.http.makeHttpRequest(U, { signal: AbortSignal.timeout(5) }).catch((e) => e.name)`, "TimeoutError", 1],
];

test.for(ABORTS)("a request aborted %s rejects with the reason, and the host is told once", async ([, body, value, notices]) => {
  const seen = await runOnce(`async function main() { const U = "${URL_TEXT}"; return await ${body}; }`, { hardened: true });
  expect(seen.outcome).toEqual({ kind: "value", value });
  expect(seen.notices).toEqual(Array.from({ length: notices }, () => ({ name: "http.abort", params: { abort: 1 } })));
  expect(seen.hostCalls.length).toBe(notices);
});

test("an abort after the answer does nothing", async () => {
  const body = `const c = new AbortController(); const r = await fetch("${URL_TEXT}", { signal: c.signal }); c.abort(); await g.run.sleep(1); return r.text();`;
  const seen = await runOnce(`async function main() { ${body} }`, { hardened: true, answer: () => httpAnswer({ bodyText: "x" }) });
  expect(seen).toMatchObject({ outcome: { kind: "value", value: "x" }, notices: [] });
});

test("requests under way when a call ends well are told in its log with their places, those that were aborted are not", async () => {
  const source = `async function main({ how }) {
    if (how === "aborted") { const c = new AbortController(); void fetch("${URL_TEXT}", { signal: c.signal }).catch(() => {}); c.abort(); return 1; }
    if (how === "failed") { void fetch("${URL_TEXT}"); throw new Error("other"); }
    void save();
    void g.http.makeHttpRequest("${URL_TEXT}");
    return 1;
  }
  async function save() {
    await fetch("${URL_TEXT}");
  }`;
  using isolate = await loadIsolate(source, { hardened: true });
  const lost = 'was under way when the call ended, and is broken off: its answer or error is lost. Is an "await" missing?';
  const line = (name: string, at: readonly number[]): unknown => ({
    name: "log.write",
    params: { level: "warn", text: `${name} ${lost}`, at },
  });
  const { outcome, notices } = await runCall(isolate);
  expect(outcome).toEqual({ kind: "value", value: 1 });
  expect(notices).toEqual([line("fetch", [9, 11, 4, 10]), line("g.http.makeHttpRequest", [5, 17])]);
  expect((await runCall(isolate, { args: { how: "aborted" } })).notices.map(({ name }) => name)).toEqual(["http.abort"]);
  expect((await runCall(isolate, { args: { how: "failed" } })).notices).toEqual([]);
});

test("the limit of requests names what the script called", async () => {
  const body = (call: string): string => `for (let i = 0; ; i++) await ${call}("${URL_TEXT}");`;
  for (const call of ["fetch", "g.http.makeHttpRequest"]) {
    const outcome = await outcomeOf(body(call), { hardened: true, caps: { hostCallsPerCall: 2 }, answer: () => httpAnswer({}) });
    expect(outcome).toMatchObject({
      code: "TOO_MANY_REQUESTS",
      message: expect.stringMatching(new RegExp(`^The script called ${call} after 2 `)),
    });
  }
});
