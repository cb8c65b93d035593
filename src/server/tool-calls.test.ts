import { expect, test } from "vitest";
import { changingSource, codeTool, slow, testEngine, waitTool } from "../../test/support/mcp-engine.ts";
import {
  legacyMessage,
  messagesOf,
  modernHeaders,
  modernMessage,
  notification,
  openSession,
  post,
  startTestHttp,
} from "../../test/support/mcp-http.ts";
import { type Inbox, paramsOf, readEvents } from "../../test/support/mcp-inbox.ts";
import { connectLegacy, connectPiped, type PipedMcp } from "../../test/support/mcp-pipe.ts";
import { makeHome, openTestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder } from "../../test/support/workspace-folder.ts";
import type { Engine } from "../engine/engine.ts";

const BEAT = { heartbeatMs: 10 };

/** Progress of one token so far. */
function progressOf(inbox: Inbox, token: number): readonly number[] {
  return paramsOf(inbox, "notifications/progress")
    .filter(({ progressToken }) => progressToken === token)
    .map(({ progress }) => Number(progress));
}

/** Settles once that many messages of progress came for the token. */
async function beats(inbox: Inbox, token: number, count: number): Promise<void> {
  await inbox.heard(() => progressOf(inbox, token).length >= count);
}

/** A call in either generation; its id is its token too. */
type MakeCall = (id: number, name: string, hasToken?: boolean) => object;

const legacyCall: MakeCall = (id, name, hasToken = true) =>
  legacyMessage("tools/call", { name, arguments: {}, ...(hasToken ? { _meta: { progressToken: id } } : {}) }, id);
const modernCall: MakeCall = (id, name, hasToken = true) =>
  modernMessage("tools/call", { name, arguments: {} }, id, {}, hasToken ? { progressToken: id } : {});

interface Generation {
  readonly call: MakeCall;
  readonly connect: (engine: Engine) => Promise<PipedMcp>;
}

const generations: Readonly<Record<string, Generation>> = {
  "2025-11-25": { call: legacyCall, connect: (engine) => connectLegacy(engine, BEAT) },
  "2026-07-28": { call: modernCall, connect: async (engine) => connectPiped(engine, BEAT) },
};

/** A call that ends when the test says so, by its number. */
function gates() {
  const open = [0, 1].map(() => Promise.withResolvers<void>());
  const tools = open.map(({ promise }, index) =>
    codeTool(`gate${index}`, async ({ progress }) => {
      if (index === 1) progress({ done: 2, total: 4, message: "half" });
      await promise;
      return { kind: "value", value: index };
    }),
  );
  return { tools, end: (index: number) => open[index]?.resolve() };
}

test.for(Object.entries(generations))(
  "%s: a silent call sends rising progress where a token was given, to the call's end and no longer",
  async ([, { call, connect }]) => {
    const { tools, end } = gates();
    const client = await connect(testEngine(tools));
    client.send(call(1, "gate0"), call(2, "gate1"), call(3, "gate0", false));
    await beats(client, 1, 3);
    end(0);
    await client.answer(1);
    await client.answer(3);
    const atEnd = progressOf(client, 1);
    // Beats of the other call pass the time in which further ones of the first would come.
    await beats(client, 2, progressOf(client, 2).length + 4);
    expect(progressOf(client, 1)).toEqual(atEnd);
    expect(atEnd).toEqual(atEnd.map((_, index) => (index + 1) / 1_000));
    const ofSecond = progressOf(client, 2);
    expect(ofSecond).toEqual(ofSecond.map((_, index) => 2 + index / 1_000));
    expect(paramsOf(client, "notifications/progress").find(({ progressToken }) => progressToken === 2)).toEqual({
      progressToken: 2,
      progress: 2,
      total: 4,
      message: "half",
    });
    // No other token: the call that gave none got none.
    const tokens = new Set(paramsOf(client, "notifications/progress").map(({ progressToken }) => progressToken));
    expect([...tokens].sort()).toEqual([1, 2]);
    end(1);
    await client.answer(2);
  },
);

test("progress does not keep a call alive: it ends at its own time limit, and with it the progress", async () => {
  const root = makeWorkspaceFolder([entry("hangs", { timeout: 0.3 }), entry("lives", { timeout: 20 })], {
    "scripts/a.js": "function main() { return g.run.sleep(1e6); }\n",
  });
  const client = await connectLegacy((await openTestRuntime(root, makeHome())).engine, BEAT);
  client.send(legacyCall(1, "hangs"), legacyCall(2, "lives"));
  expect(await client.answer(1)).toMatchObject({ result: { isError: true, structuredContent: { error: { code: "TIMEOUT" } } } });
  const atEnd = progressOf(client, 1);
  expect(atEnd.length).toBeGreaterThan(2);
  await beats(client, 2, progressOf(client, 2).length + 4);
  expect(progressOf(client, 1)).toEqual(atEnd);
  client.send(notification("notifications/cancelled", { requestId: 2 }));
});

test("a cancelled call sends no more progress and gets no answer", async () => {
  const [started, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = waitTool({ started: started.resolve, cancelled: cancelled.resolve });
  const client = await connectLegacy(testEngine([wait, slow]), BEAT);
  client.send(legacyCall(1, "wait"));
  await started.promise;
  client.send(notification("notifications/cancelled", { requestId: 1, reason: "no more" }));
  await cancelled.promise;
  const atEnd = progressOf(client, 1);
  client.send(legacyMessage("tools/call", { name: "slow", arguments: { ms: 60 }, _meta: { progressToken: 2 } }, 2));
  await client.answer(2);
  expect(progressOf(client, 2).length).toBeGreaterThan(2);
  expect(progressOf(client, 1)).toEqual(atEnd);
  expect(client.messages.filter(({ id }) => id === 1)).toEqual([]);
});

test("over HTTP the progress of a call comes on its own stream, in both generations", async () => {
  const { tools, end } = gates();
  await using server = await startTestHttp(testEngine(tools), BEAT);
  const legacy = readEvents(await post(server.url, legacyCall(1, "gate0"), { "mcp-session-id": await openSession(server.url) }));
  const modern = readEvents(await post(server.url, modernCall(2, "gate1"), modernHeaders("tools/call", "gate1")));
  await beats(legacy, 1, 3);
  await beats(modern, 2, 3);
  end(0);
  end(1);
  for (const [stream, id] of [
    [legacy, 1],
    [modern, 2],
  ] as const) {
    await stream.ended;
    expect(stream.messages.at(-1)).toMatchObject({ id, result: {} });
    expect(progressOf(stream, id)).toHaveLength(stream.messages.length - 1);
  }
});

test.for(Object.entries(generations))(
  "%s: a call by an old list is a failure of the tool that says what became of it, and the list of another client changes nothing",
  async ([, { connect }]) => {
    const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    const value = async () => ({ kind: "value", value: "found" }) as const;
    const source = changingSource([codeTool("find", value, { parameters, description: "Finds." }), codeTool("keep", value)]);
    const engine = testEngine(source);
    const client = await connect(engine);
    const make = client.messages.length === 0 ? modernMessage : legacyMessage;
    client.send(make("tools/list", {}, 1));
    await client.answer(1);
    const changed = { ...parameters, required: ["text", "now"], properties: { ...parameters.properties, now: { type: "boolean" } } };
    source.replace([codeTool("search", value, { parameters, description: "Finds." }), codeTool("keep", value, { parameters: changed })]);
    engine.list({ agent: "default", origin: "mcp", client: "another" });
    client.send(make("tools/call", { name: "find", arguments: { text: "x" } }, 2), make("tools/call", { name: "keep", arguments: {} }, 3));
    expect(await client.answer(2)).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining("find was renamed since this client listed the tools: it is search now.") }],
        structuredContent: { error: { code: "TOOL_NOT_FOUND", nearest: "search", parameters } },
      },
    });
    expect(await client.answer(3)).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining("keep was changed since this client listed the tools.") }],
        structuredContent: { error: { code: "INVALID_ARGUMENTS" } },
      },
    });
  },
);

test.for(Object.entries(generations))(
  "%s: an argument __proto__ is refused by name, at the top as below it, and reaches no prototype",
  async ([, { connect }]) => {
    const seen: unknown[] = [];
    const takes = codeTool("takes", async (_context, args) => {
      seen.push(args);
      return { kind: "value", value: 1 };
    });
    const client = await connect(testEngine([takes]));
    const make = client.messages.length === 0 ? modernMessage : legacyMessage;
    const text = (args: string, id: number): string =>
      `${JSON.stringify(make("tools/call", { name: "takes", arguments: "ARGS" }, id)).replace('"ARGS"', args)}\n`;
    client.send(text('{"__proto__":{"admin":true},"a":1}', 1), text('{"a":{"__proto__":{"admin":true}}}', 2), text('{"a":1}', 3));
    for (const [id, path] of [
      [1, "__proto__"],
      [2, "a.__proto__"],
    ] as const) {
      expect(await client.answer(id)).toMatchObject({
        result: {
          isError: true,
          content: [{ text: expect.stringContaining(`- ${path}: expected another name for this key`) }],
          structuredContent: { error: { code: "INVALID_ARGUMENTS", issues: [{ path }] } },
        },
      });
    }
    await client.answer(3);
    expect(seen).toEqual([{ a: 1 }]);
    expect(Reflect.get({}, "admin")).toBeUndefined();
  },
);

test.for(Object.entries(generations))(
  "%s: arguments sent as the JSON text of an object are read as it, and the result says so",
  async ([, { connect }]) => {
    const client = await connect(testEngine([codeTool("gives", async (_context, args) => ({ kind: "value", value: args }))]));
    const make = client.messages.length === 0 ? modernMessage : legacyMessage;
    client.send(make("tools/call", { name: "gives", arguments: '{"a":[1]}' }, 1));
    expect(await client.answer(1)).toMatchObject({
      result: { structuredContent: { a: [1] }, _meta: { "toolyard/repaired": [{ path: "", from: "string", to: "object" }] } },
    });
    client.send(make("tools/call", { name: "gives", arguments: '{"__proto__":{"admin":true}}' }, 2));
    expect(await client.answer(2)).toMatchObject({
      result: { isError: true, structuredContent: { error: { code: "INVALID_ARGUMENTS", issues: [{ path: "__proto__" }] } } },
    });
  },
);

test("over HTTP an argument __proto__ is refused by name too, and a client that cannot show forms gets 400 with what to declare", async () => {
  const asks = codeTool("asks", async ({ ask, signal }) => {
    await ask?.({ key: "a", message: "?", schema: { type: "object", properties: {} } }, signal);
    return { kind: "value", value: 1 };
  });
  await using server = await startTestHttp(testEngine([asks]));
  const headers = { ...modernHeaders("tools/call"), "mcp-name": "asks" };
  const body = JSON.stringify(modernMessage("tools/call", { name: "asks", arguments: "ARGS" })).replace('"ARGS"', '{"__proto__":1}');
  expect(await messagesOf(await post(server.url, body, headers))).toMatchObject([
    { result: { isError: true, structuredContent: { error: { code: "INVALID_ARGUMENTS" } } } },
  ]);
  const refused = await post(server.url, modernMessage("tools/call", { name: "asks", arguments: {} }), headers);
  expect(refused.status).toBe(400);
  expect(await messagesOf(refused)).toMatchObject([
    { error: { code: -32_021, data: { requiredCapabilities: { elicitation: { form: {} } } } } },
  ]);
});
