// Questions of scripts through the client, in both generations: asked, answered, refused.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ASKED_CLIENTS,
  type AskingBench,
  CAN_ASK,
  isQuestion,
  legacyAsked,
  modernAsked,
  openAskingBench,
} from "../../test/support/asking-bench.ts";
import { legacyMessage, modernMessage } from "../../test/support/mcp-http.ts";
import { connectLegacy, connectPiped } from "../../test/support/mcp-pipe.ts";
import type { JsonObject } from "../core/json.ts";

// One sandbox for all tests: to start one takes longer than they do.
const shared = new AsyncDisposableStack();
const opened = Promise.withResolvers<AskingBench>();
const open = (): Promise<AskingBench> => opened.promise;
beforeAll(async () => opened.resolve(await openAskingBench(shared, {})));
afterAll(() => shared.disposeAsync());

test.for(ASKED_CLIENTS)("%s: a question comes with its form, and the answer goes to the script that waits", async ([, connect]) => {
  const asked = await connect(await open());
  await asked.begin("asks");
  expect(asked.question()).toMatchObject({
    message: "Which size?",
    requestedSchema: { type: "object", properties: { size: { type: "string", enum: ["small", "large"] } }, required: ["size"] },
  });
  expect(await asked.answer({ action: "accept", content: { size: "large" } })).toMatchObject({ structuredContent: { size: "large" } });
});

test.for(ASKED_CLIENTS)("%s: declined and cancelled are values, and an answer that does not fit the form is none", async ([, connect]) => {
  const asked = await connect(await open());
  for (const action of ["decline", "cancel"]) {
    await asked.begin("asks");
    expect(await asked.answer({ action })).toMatchObject({ content: [{ text: action }] });
  }
  for (const content of [{ size: "huge" }, {}, { size: 5 }]) {
    await asked.begin("asks");
    expect(await asked.answer({ action: "accept", content })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "UNAVAILABLE" } },
    });
  }
  await asked.begin("asks", { form: false });
  expect(await asked.answer({ action: "accept" })).toMatchObject({ structuredContent: { size: null } });
});

test.for(ASKED_CLIENTS)(
  "%s: a call waits for its answer beyond its time limit, which another call reaches meanwhile",
  async ([, connect]) => {
    const runtime = await open();
    const asked = await connect(runtime);
    await asked.begin("asks");
    // Begun later, with the same limit of 500 ms: once it has run out, that of the question would have.
    const hangs = { name: "hangs", args: {}, signal: new AbortController().signal };
    expect(await runtime.engine.call({ agent: "default", origin: "mcp" }, hangs)).toMatchObject({ kind: "error", code: "TIMEOUT" });
    expect(await asked.answer({ action: "accept", content: { size: "small" } })).toMatchObject({ structuredContent: { size: "small" } });
  },
);

test.for(ASKED_CLIENTS)("%s: three questions are asked one after the other, the fourth is refused", async ([, connect]) => {
  const asked = await connect(await open());
  await asked.begin("many");
  const messages = [asked.question().message];
  for (const action of ["accept", "decline"]) {
    expect(await asked.answer({ action })).toBe("asked");
    messages.push(asked.question().message);
  }
  expect(messages).toEqual(["Go on with a?", "Go on with b?", "Go on with c?"]);
  expect(await asked.answer({ action: "cancel" })).toMatchObject({ content: [{ text: "accept decline cancel TOO_MANY_REQUESTS" }] });
});

test("2026-07-28: of two questions at once each gets the answer of its key, whether brought along or after", async () => {
  const asked = await modernAsked(await open());
  await asked.begin("both");
  expect(asked.question().message).toBe("a?");
  expect(await asked.answer({ action: "decline" })).toBe("asked");
  expect(asked.question().message).toBe("b?");
  expect(await asked.answer({ action: "cancel" })).toMatchObject({ content: [{ text: "decline cancel" }] });
  const brought = { a: { action: "cancel" }, b: { action: "decline" } };
  const { client } = asked;
  client.send(modernMessage("tools/call", { name: "both", arguments: {}, inputResponses: brought }, 99, CAN_ASK));
  expect(await client.answer(99)).toMatchObject({ result: { content: [{ text: "cancel decline" }] } });
});

test("2026-07-28: a client that comes back without the answer, or with one of another key, is asked again", async () => {
  const runtime = await open();
  const client = connectPiped(runtime.engine);
  const call = { name: "asks", arguments: {} };
  let state: unknown;
  for (const [index, inputResponses] of [undefined, {}, { other: { action: "accept" } }, { question: "yes" }].entries()) {
    const more = state === undefined ? {} : { requestState: state, inputResponses };
    client.send(modernMessage("tools/call", { ...call, ...more }, index, CAN_ASK));
    const { result } = await client.answer(index);
    expect(result).toMatchObject({ resultType: "input_required", inputRequests: { question: { method: "elicitation/create" } } });
    // The match above says that it is an object.
    state = (result as JsonObject).requestState;
  }
  const answer = { requestState: state, inputResponses: { question: { action: "decline" } } };
  client.send(modernMessage("tools/call", { ...call, ...answer }, 9, CAN_ASK));
  expect(await client.answer(9)).toMatchObject({ result: { content: [{ text: "decline" }] } });
});

test("a client that said it can show no form gets no question, but what is missing: UNAVAILABLE, and in 2026-07-28 the protocol's error", async () => {
  const { engine } = await open();
  for (const capabilities of [{}, { elicitation: { url: {} } }, { sampling: {} }]) {
    const legacy = await connectLegacy(engine, {}, capabilities);
    legacy.send(legacyMessage("tools/call", { name: "asks", arguments: {} }, 1));
    const { result } = await legacy.answer(1);
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: "UNAVAILABLE" } } });
    expect(JSON.stringify(result)).toContain("elicitation");
    const modern = connectPiped(engine);
    modern.send(modernMessage("tools/call", { name: "asks", arguments: {} }, 1, capabilities));
    const { error } = await modern.answer(1);
    expect(error).toMatchObject({
      code: -32_021,
      message: expect.stringContaining("asks asks a person, and this client does not declare"),
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    for (const client of [legacy, modern]) expect(client.messages.filter(isQuestion)).toEqual([]);
  }
});

test("2026-07-28: a script that goes on where nobody can be asked gives its result also to a client without forms", async () => {
  const { engine } = await open();
  const modern = connectPiped(engine);
  modern.send(modernMessage("tools/call", { name: "many", arguments: {} }, 1, {}));
  expect(await modern.answer(1)).toMatchObject({
    result: { content: [{ text: "UNAVAILABLE UNAVAILABLE UNAVAILABLE TOO_MANY_REQUESTS" }] },
  });
});

test("2025-11-25: a client that answers with an error, or with what is no answer, makes the question fail and not the server", async () => {
  const asked = await legacyAsked(await open());
  const answers = [{ error: { code: -32_601, message: "no such method" } }, { result: { action: "perhaps" } }, { result: {} }];
  for (const [index, body] of answers.entries()) {
    await asked.begin("asks");
    const open = asked.client.messages.filter(isQuestion).at(-1);
    asked.client.send({ jsonrpc: "2.0", id: open?.id, ...body });
    expect(await asked.client.answer(index + 1)).toMatchObject({
      result: { isError: true, structuredContent: { error: { code: "UNAVAILABLE" } } },
    });
  }
});
