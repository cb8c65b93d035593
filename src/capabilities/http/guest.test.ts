import { expect, test } from "vitest";
import { httpAnswer, loadIsolate, outcomeOf, runCall, runOnce } from "../../../test/support/isolate-harness.ts";
import type { JsonObject } from "../../core/json.ts";

const REQUEST = "g.http.makeHttpRequest";

/** The parameters that cross the border for one expression. */
async function paramsOf(expressions: readonly string[]): Promise<readonly (JsonObject | undefined)[]> {
  const source = `const make = [${expressions.map((text) => `() => ${text}`).join(",")}]; const main = async ({ index }) => { await make[index](); };`;
  using isolate = await loadIsolate(source, { hardened: true });
  const params: (JsonObject | undefined)[] = [];
  for (const index of expressions.keys()) {
    const seen = await runCall(isolate, { args: { index }, answer: () => httpAnswer({}) });
    expect(seen.outcome, expressions[index]).toEqual({ kind: "value", value: null });
    params.push(seen.hostCalls[0]?.params);
  }
  return params;
}

test("every call form becomes the same request", async () => {
  const request = {
    url: "https://a.example/x",
    method: "POST",
    headers: { "X-A": "1", "content-type": "application/json" },
    body: { kind: "text", text: '{"a":1}' },
  };
  const options = "{ method: 'post', headers: { 'X-A': 1, 'X-B': undefined }, body: { a: 1 } }";
  const expressions = [
    `${REQUEST}("https://a.example/x", ${options})`,
    `${REQUEST}({ url: "https://a.example/x", ...${options} })`,
    `${REQUEST}(new URL("https://a.example/x"), ${options})`,
    `${REQUEST}({ toString: () => "https://a.example/x" }, ${options})`,
  ];
  expect(await paramsOf(expressions)).toEqual(expressions.map(() => request));
});

test("g.http takes bodies and headers of the web's classes", async () => {
  const url = "https://a.example/";
  const form = "application/x-www-form-urlencoded;charset=UTF-8";
  expect(
    await paramsOf([
      `${REQUEST}("${url}", { body: new URLSearchParams({ a: "b c" }) })`,
      `${REQUEST}("${url}", { body: new Blob(["hi"], { type: "a/b" }), headers: new Headers({ "X-A": "1" }) })`,
    ]),
  ).toEqual([
    { url, headers: { "content-type": form }, body: { kind: "text", text: "a=b+c" } },
    { url, headers: { "x-a": "1", "content-type": "a/b" }, body: { kind: "bytes", base64: "aGk=" } },
  ]);
});

test("query, form, bodies, headers, timeout and redirect are encoded in the isolate", async () => {
  const url = "https://a.example/";
  const cases: readonly (readonly [string, JsonObject])[] = [
    [
      `${REQUEST}("${url}?a=1#end", { query: { q: "é &", list: [1, true], none: null } })`,
      { url: `${url}?a=1&q=%C3%A9%20%26&list=1&list=true#end`, headers: {} },
    ],
    [`${REQUEST}("${url}", { query: {} })`, { url, headers: {} }],
    [`${REQUEST}("${url}?", { query: { a: "\\ud800" } })`, { url: `${url}?a=%EF%BF%BD`, headers: {} }],
    [
      `${REQUEST}("${url}", { form: { a: "b c", n: 1 } })`,
      { url, headers: { "content-type": "application/x-www-form-urlencoded" }, body: { kind: "text", text: "a=b%20c&n=1" } },
    ],
    [`${REQUEST}("${url}", { method: "patch" })`, { url, method: "PATCH", headers: {} }],
    [`${REQUEST}("${url}", { method: "get", body: "a" })`, { url, method: "GET", headers: {}, body: { kind: "text", text: "a" } }],
    [`${REQUEST}("${url}", { body: "text" })`, { url, headers: {}, body: { kind: "text", text: "text" } }],
    [`${REQUEST}("${url}", { body: new Uint8Array([104, 105]) })`, { url, headers: {}, body: { kind: "bytes", base64: "aGk=" } }],
    [
      `${REQUEST}("${url}", { body: [1], headers: { "Content-Type": "application/vnd.a+json" } })`,
      { url, headers: { "Content-Type": "application/vnd.a+json" }, body: { kind: "text", text: "[1]" } },
    ],
    [`${REQUEST}("${url}", { headers: [["a", "b"]] })`, { url, headers: { a: "b" } }],
    [`${REQUEST}("${url}", { headers: new Map([["a", 1]]) })`, { url, headers: { a: "1" } }],
    [`${REQUEST}("${url}", { timeout: 1.5, redirect: "manual" })`, { url, headers: {}, timeoutMs: 1_500, redirect: "manual" }],
  ];
  expect(await paramsOf(cases.map(([expression]) => expression))).toEqual(cases.map(([, params]) => params));
});

test("what is malformed is refused before the host hears of it", async () => {
  const malformed = [
    `${REQUEST}()`,
    `${REQUEST}({})`,
    `${REQUEST}(5)`,
    `${REQUEST}("https://a.example/", 5)`,
    `${REQUEST}("https://a.example/", { headers: { a: {} } })`,
    `${REQUEST}("https://a.example/", { headers: [["a"]] })`,
    `${REQUEST}("https://a.example/", { headers: new Map([["a", {}]]) })`,
    `${REQUEST}("https://a.example/", { query: "a=1" })`,
    `${REQUEST}("https://a.example/", { form: { a: {} } })`,
    `${REQUEST}("https://a.example/", { form: { a: 1 }, body: "x" })`,
    `${REQUEST}("https://a.example/", { body: () => 1 })`,
    `${REQUEST}("https://a.example/", { timeout: 0 })`,
    `${REQUEST}("https://a.example/", { redirect: "sometimes" })`,
    `${REQUEST}("https://a.example/", { responseType: "xml" })`,
    `${REQUEST}("https://a.example/", { method: 5 })`,
    `${REQUEST}("https://a.example/", { body: "x".repeat(1048577) })`,
    `${REQUEST}("https://a.example/", { body: new Uint8Array(1048577) })`,
    `fetch()`,
  ];
  const source = `const make = [${malformed.map((text) => `() => ${text}`).join(",")}]; const main = async ({ index }) => { await make[index](); };`;
  using isolate = await loadIsolate(source, { hardened: true });
  for (const [index, expression] of malformed.entries()) {
    const { outcome, hostCalls } = await runCall(isolate, { args: { index } });
    expect(outcome, expression).toMatchObject({ kind: "error", code: "INVALID_REQUEST", file: "scripts/a.js", line: 1 });
    expect(hostCalls).toEqual([]);
  }
});

test("inherited properties never get into a request", async () => {
  const source = `Object.prototype.url = "http://169.254.169.254/"; Object.prototype.headers = { authorization: "x" }; Object.prototype.body = "b";
    async function main() { await g.http.makeHttpRequest("https://a.example/", {}); await g.http.makeHttpRequest({}); }`;
  const seen = await runOnce(source, { hardened: false, answer: () => httpAnswer({}) });
  expect(seen.hostCalls.map(({ params }) => params)).toEqual([{ url: "https://a.example/", headers: {} }]);
  expect(seen.outcome).toMatchObject({ code: "INVALID_REQUEST" });
});

test("a response is what g.d.ts says, and can be returned as data", async () => {
  const answer = () =>
    httpAnswer({
      status: 201,
      statusText: "Created",
      headers: { "content-type": "application/json" },
      setCookie: ["a=1"],
      bodyText: '{"a":[1]}',
      redirected: true,
    });
  const body = `const r = await g.http.makeHttpRequest({ url: "https://a.example/", responseType: "json" });
    return { r, json: r.json(), text: r.text(), frozen: Object.isFrozen(r) && Object.isFrozen(r.headers) };`;
  expect(await outcomeOf(body, { hardened: true, answer })).toEqual({
    kind: "value",
    value: {
      r: {
        ok: true,
        status: 201,
        statusCode: 201,
        statusText: "Created",
        headers: { "content-type": "application/json" },
        setCookie: ["a=1"],
        url: "https://api.example.com/",
        redirected: true,
        body: '{"a":[1]}',
        data: { a: [1] },
      },
      json: { a: [1] },
      text: '{"a":[1]}',
      frozen: true,
    },
  });
});

test("bytes come as base64, and a body that is no UTF-8 as text with replacement characters", async () => {
  const invalid = Buffer.from([0x61, 0xc3, 0x28, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0x80, 0xe2, 0x82]);
  const answer = () => httpAnswer({ bodyText: undefined as never, bodyBase64: invalid.toString("base64") }); // undefined leaves the field out of the JSON text
  const body = `const bytes = await g.http.makeHttpRequest("https://a.example/", { responseType: "bytes" });
    const text = await g.http.makeHttpRequest("https://a.example/");
    const buffer = await (await fetch("https://a.example/")).arrayBuffer();
    return [bytes.body, bytes.bodyBase64, text.body, new Uint8Array(buffer)];`;
  const value = ["", invalid.toString("base64"), new TextDecoder().decode(invalid), { base64: invalid.toString("base64") }];
  expect(await outcomeOf(body, { hardened: true, answer })).toEqual({ kind: "value", value });
});

test("a body that is no JSON is an error with a code, the status and the beginning of the body, none of which is in the message", async () => {
  const answer = () => httpAnswer({ status: 500, headers: { "content-type": "text/html" }, bodyText: `<html>secret${"x".repeat(1_000)}` });
  const message = "The body of the answer (status 500, content type text/html) is not JSON.";
  const seen = `[error.name, error.message, error.code, error.status, error.body.slice(0, 12), error.body.length]`;
  const value = ["SyntaxError", message, "RESPONSE_NOT_JSON", 500, "<html>secret", 500];
  const parsing = `try { (await ${REQUEST}('https://a.example/')).json(); } catch (error) { return ${seen}; }`;
  const asking = `try { await ${REQUEST}('https://a.example/', { responseType: "json" }); } catch (error) { return ${seen}; }`;
  expect(await outcomeOf(parsing, { hardened: true, answer })).toEqual({ kind: "value", value });
  expect(await outcomeOf(asking, { hardened: true, answer })).toEqual({ kind: "value", value });
  const uncaught = await outcomeOf(`\n  await ${REQUEST}('https://a.example/', { responseType: "json" });`, { hardened: true, answer });
  expect(uncaught).toMatchObject({ kind: "error", name: "SyntaxError", message, code: "RESPONSE_NOT_JSON", line: 2, column: 16 });
});

test("a body over the limit is refused in the isolate with the limit's name and value", async () => {
  const message = 'The request body is over the limit of 100 bytes ("requestBodyBytes" in "limits"). Send less, or in parts.';
  for (const body of ["'x'.repeat(101)", "new Uint8Array(101)", "{ a: 'x'.repeat(99) }"]) {
    const outcome = await outcomeOf(`await ${REQUEST}("https://a.example/", { body: ${body} });`, {
      hardened: true,
      caps: { requestBodyBytes: 100 },
    });
    expect(outcome, body).toMatchObject({ kind: "error", code: "INVALID_REQUEST", message });
  }
});
