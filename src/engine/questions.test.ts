import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeHome, openTestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder } from "../../test/support/workspace-folder.ts";
import type { JsonObject } from "../core/json.ts";
import type { Answer, Ask, Question } from "../core/question.ts";
import type { CallResult } from "../core/tool.ts";

const FORM = '{ type: "object", properties: { name: { type: "string" } }, required: ["name"] }';

/** Calls a script with somebody who answers, in a workspace with these limits. */
async function callAsking(
  body: string,
  {
    ask,
    limits = {},
    timeout = 1,
  }: { readonly ask?: Ask; readonly limits?: Readonly<Record<string, number>>; readonly timeout?: number } = {},
): Promise<{ readonly result: CallResult; readonly asked: readonly Question[] }> {
  const root = makeWorkspaceFolder([entry("asks", { timeout })], {
    "scripts/a.js": `async function main() {\n${body}\n}\n`,
    "toolyard.json": { limits },
  });
  const { engine } = await openTestRuntime(root, makeHome());
  const asked: Question[] = [];
  const noted: Ask | undefined =
    ask === undefined
      ? undefined
      : (question, signal) => {
          asked.push(question);
          return ask(question, signal);
        };
  const result = await engine.call(
    { agent: "default", origin: "mcp" },
    { name: "asks", args: {}, signal: new AbortController().signal, ...(noted === undefined ? {} : { ask: noted }) },
  );
  return { result, asked };
}

const accept = (content: JsonObject): Ask => {
  return async () => ({ action: "accept", content });
};

test("a script gets what the person filled in, and the client gets message and form as the script gave them", async () => {
  const { result, asked } = await callAsking(`return g.ask.elicit("Who are you?", ${FORM}, { key: "who" });`, {
    ask: accept({ name: "Ada" }),
  });
  expect(result).toMatchObject({ kind: "ok", value: { action: "accept", content: { name: "Ada" } } });
  expect(asked).toEqual([
    { key: "who", message: "Who are you?", schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
  ]);
});

test("a question without a form can only be accepted, declined or cancelled, and the last two are values", async () => {
  const body = 'return [(await g.ask.elicit("Delete it?")).action, (await g.ask.elicit("Really?")).action];';
  const answers: Answer[] = [{ action: "decline" }, { action: "cancel" }];
  const { result, asked } = await callAsking(body, { ask: async () => answers.shift() ?? { action: "cancel" } });
  expect(result).toMatchObject({ kind: "ok", value: ["decline", "cancel"] });
  expect(asked[0]).toEqual({ key: "question", message: "Delete it?", schema: { type: "object", properties: {} } });
});

test("the time limit stands still while a person thinks, and goes on with what was left", async () => {
  const slow: Ask = async () => {
    await delay(900);
    return { action: "accept", content: { name: "Ada" } };
  };
  const body = `
    const before = g.run.remainingMs();
    await g.ask.elicit("Who?", ${FORM});
    const after = g.run.remainingMs();
    return { isSame: before - after < 150 && after <= before, first: before };`;
  const { result } = await callAsking(body, { ask: slow, timeout: 0.5 });
  expect(result).toMatchObject({ kind: "ok", value: { isSame: true } });
});

test("after the answer a script that never ends is stopped at what was left of its time", async () => {
  const started = performance.now();
  const slow: Ask = async () => {
    await delay(300);
    return { action: "decline" };
  };
  const { result } = await callAsking('await g.ask.elicit("Go on?"); await g.run.sleep(1e6);', { ask: slow, timeout: 0.4 });
  expect(result).toMatchObject({ kind: "error", code: "TIMEOUT" });
  expect(performance.now() - started).toBeGreaterThan(600);
});

test("two questions at once are both answered, and the clock goes on only after the second", async () => {
  const slow: Ask = async ({ key }) => {
    await delay(key === "a" ? 200 : 700);
    return { action: "accept", content: {} };
  };
  const body =
    'return (await Promise.all([g.ask.elicit("A?", undefined, { key: "a" }), g.ask.elicit("B?", undefined, { key: "b" })])).length;';
  const { result } = await callAsking(body, { ask: slow, timeout: 0.5 });
  expect(result).toMatchObject({ kind: "ok", value: 2 });
});

test("a call may ask three questions; the fourth is refused by name of the limit", async () => {
  const body = 'for (let i = 0; i < 4; i++) await g.ask.elicit("Go on?");';
  const { result, asked } = await callAsking(body, { ask: async () => ({ action: "cancel" }) });
  expect(result).toMatchObject({ kind: "error", code: "TOO_MANY_REQUESTS" });
  expect(result.kind === "error" && result.message).toContain('"questionsPerCall"');
  expect(asked).toHaveLength(3);
});

test("a question nobody answers ends with TIMEOUT after its own limit, which the script can handle", async () => {
  const silent: Ask = () => new Promise(() => undefined);
  const body = 'try { await g.ask.elicit("Hello?"); } catch (error) { return error.code; }';
  const { result } = await callAsking(body, { ask: silent, limits: { questionMs: 200 } });
  expect(result).toMatchObject({ kind: "ok", value: "TIMEOUT" });
});

test("without a client that can ask a script gets UNAVAILABLE, with a text that says why", async () => {
  const { result } = await callAsking('await g.ask.elicit("Hello?");');
  expect(result).toMatchObject({ kind: "error", code: "UNAVAILABLE" });
  expect(result.kind === "error" && result.message).toContain("elicitation");
});

test("an answer that does not fit the form never reaches the script", async () => {
  const { result } = await callAsking(`return g.ask.elicit("Who?", ${FORM});`, { ask: accept({ name: 12 }) });
  expect(result).toMatchObject({
    kind: "error",
    code: "UNAVAILABLE",
    message: expect.stringContaining("cannot be used: it does not fit the form: name does not fit, expected a string."),
  });
});

test("a form that is wrong is refused with the path of what is wrong and what was expected there", async () => {
  const forms = [
    [
      '{ type: "object", properties: { a: { type: "text" } } }',
      'form.properties.a.type: expected "string", "number", "integer", "boolean" or "array"; found "text"',
    ],
    ['{ type: "object", properties: { a: 5 } }', 'form.properties.a: expected a field, an object with "type"; found a number'],
    [
      '{ type: "object", properties: { a: { type: "string", enm: ["x"] } } }',
      'form.properties.a: has "enm" (did you mean "enum"?), which a form does not know here',
    ],
    [
      '{ type: "object", properties: { a: { type: "string", enum: ["x", 5] } } }',
      "form.properties.a.enum[1]: expected text; found a number",
    ],
    [
      '{ type: "object", properties: { a: { type: "array", items: { type: "number" } } } }',
      'form.properties.a.items.type: expected "string"; found a string',
    ],
    [
      '{ type: "object", properties: { a: { type: "array" } } }',
      "form.properties.a.items: expected an object with type, enum; found nothing",
    ],
    [
      '{ type: "object", properties: { a: { type: "string" } }, required: ["b"] }',
      'form.required[0]: expected the name of a field of the form; found "b"',
    ],
    ["{ properties: {} }", 'form.type: expected "object"; found nothing'],
  ] as const;
  const body = `const told = [];
    for (const form of [${forms.map(([form]) => form).join(", ")}])
      try { await g.ask.elicit("Who?", form); } catch (error) { told.push(error.code + " " + error.message); }
    return told;`;
  const { result, asked } = await callAsking(body, { ask: accept({}) });
  expect(asked).toEqual([]);
  const told = result.kind === "ok" && Array.isArray(result.value) ? result.value : [];
  expect(told).toHaveLength(forms.length);
  for (const [index, [, text]] of forms.entries()) {
    expect(told[index]).toContain(`INVALID_REQUEST g.ask.elicit was called with parameters that do not fit: ${text}`);
  }
});

test("a form with a field that MCP does not know is refused before anybody is asked", async () => {
  const nested = '{ type: "object", properties: { a: { type: "object", properties: {} } } }';
  const { result, asked } = await callAsking(`return g.ask.elicit("Who?", ${nested});`, { ask: accept({}) });
  expect(result).toMatchObject({ kind: "error", code: "INVALID_REQUEST" });
  expect(asked).toEqual([]);
});

test("more questions than may wait at once are refused with BUSY", async () => {
  const body = 'await Promise.all([g.ask.elicit("A?"), g.ask.elicit("B?")]);';
  const silent: Ask = () => new Promise(() => undefined);
  const { result, asked } = await callAsking(body, { ask: silent, limits: { questionsAtOnce: 1, questionMs: 500 } });
  expect(result).toMatchObject({ kind: "error", code: "BUSY" });
  expect(asked).toHaveLength(1);
});
