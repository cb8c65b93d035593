// Secrets in a redirect's Location, and in headers, wrapped as servers wrap the page to go back to.
import { expect, test } from "vitest";
import { createRedactor } from "../../src/egress/redactor.ts";
import { TEXT_ENCODERS } from "../support/secret-encoders.ts";
import { callEgress, failure, noHeaders, recorder, secretHeader, send, trusting } from "./egress-support.ts";

const VALUE = "q8Zm+YmFy/Zm9vYmFyZm9vK3k/Aa8+xyz==";

const again = (encode: (text: string) => string, times: number) => (text: string) =>
  Array.from({ length: times }).reduce<string>((inner) => encode(inner), text);
const base64 = (text: string): string => Buffer.from(text).toString("base64url");
const hex = (text: string): string => Buffer.from(text).toString("hex");
/** Every other character escaped, so that no encoder's whole form stands there. */
const mixed = (text: string): string => text.replace(/../gu, ([first = "", second = ""]) => `%${hex(first)}${second}`);

const wrappings: Readonly<Record<string, (text: string) => string>> = {
  ...Object.fromEntries(Object.entries(TEXT_ENCODERS).map(([name, encode]) => [name, (text: string) => encodeURIComponent(encode(text))])),
  "percent-encoded in part": mixed,
  "percent-encoded 40 times": again(encodeURIComponent, 40),
  "percent-encoded more often than is looked through": again(encodeURIComponent, 200),
  "JSON of PHP in JSON five times, in a URL": (text) => encodeURIComponent(again(JSON.stringify, 5)(text.replaceAll("/", "\\/"))),
  "a URL in base64, in a URL in base64": (text) => base64(`/a?next=${base64(`https://api.example.com/?key=${mixed(text)}&n=1`)}&b`),
  "base64 three times": again(base64, 3),
  "hex of base64 of a part of a URL": (text) => hex(`x${base64(`?k=${mixed(text)}`)}`),
  "base64 behind a path": (text) => `callback/state/${base64(`?k=${mixed(text)}`)}`,
};

test("a Location that holds the secret, however it is wrapped, is not followed to another host, and the same without a secret is", async () => {
  const other = await recorder(() => ({ status: 200 }));
  const names = Object.keys(wrappings);
  const first = await recorder((path) => {
    const wrapped = wrappings[names[Number(path.slice(1))] ?? ""]?.(VALUE);
    return { status: 302, location: `http://localhost:${other.port}/login?next=${wrapped}` };
  });
  const policy = trusting(`127.0.0.1:${first.port}`, `localhost:${other.port}`);
  const limits = { requestBodyBytes: 1, responseBodyBytes: 10_000, requestsPerCall: 1_000, requestsAtOnce: 6, redirects: 3 };
  const call = callEgress({ policy, limits, toolHeaders: secretHeader("Authorization", VALUE, "Bearer ") });
  const bare = callEgress({ policy, limits, toolHeaders: noHeaders });
  const leaked: string[] = [];
  for (const [index, name] of names.entries()) {
    const url = `http://127.0.0.1:${first.port}/${index}`;
    expect([name, (await failure(send(call, url))).code]).toEqual([name, "SECRET_HOST"]);
    const manual = await send(call, url, { redirect: "manual" });
    if (!manual.headers.location?.includes("[redacted]")) leaked.push(name);
  }
  expect(other.hits).toEqual([]);
  expect(leaked).toEqual([]);
  // No secret was sent: it is the script's own text.
  for (const index of names.keys()) await send(bare, `http://127.0.0.1:${first.port}/${index}`);
  expect(other.hits).toHaveLength(names.length);
});

test("addresses as pages give them are followed with a secret in the call, and the final one is masked however deep a secret is", async () => {
  const deep = `${base64(`?k=${mixed(VALUE)}`)}`;
  const signed = `X-Amz-Credential=AKIA%2F20260101%2Fs3&X-Amz-Signature=${"0123456789abcdef".repeat(4)}&state=${base64(JSON.stringify({ next: "https://example.com/?a=%252F" }))}`;
  const other = await recorder(() => ({ status: 200, body: "end" }));
  const first = await recorder((path) => {
    if (path === "/signed") return { status: 302, location: `http://localhost:${other.port}/file?${signed}` };
    return path === "/deep" ? { status: 302, location: `/end?s=${deep}` } : { status: 200 };
  });
  const policy = trusting(`127.0.0.1:${first.port}`, `localhost:${other.port}`);
  const call = callEgress({ policy, toolHeaders: secretHeader("X-Api-Key", VALUE) });
  expect((await send(call, `http://127.0.0.1:${first.port}/signed`)).url).toBe(`http://localhost:${other.port}/file?${signed}`);
  expect((await send(call, `http://127.0.0.1:${first.port}/deep`)).url).toBe(`http://127.0.0.1:${first.port}/[redacted]`);
  expect(createRedactor([VALUE]).redactText(deep)).toBe(deep);
});
