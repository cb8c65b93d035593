// Questions to people: while one is open the time limit stands still, which must give no script more than it had, and an
// answer belongs to the call that asked, and to its agent.
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import type { CallClock } from "../../src/sandbox/sandbox-call.ts";
import { codeTool, testEngine } from "../support/mcp-engine.ts";
import { messagesOf, modernHeaders, modernMessage, post, startTestHttp } from "../support/mcp-http.ts";
import { makeHome, openTestRuntime, storeSecret } from "../support/runtime.ts";
import { gist, testCall, testSandbox } from "../support/sandbox-call.ts";
import { makeFolder } from "../support/workspace-folder.ts";
import { serve } from "./egress-support.ts";

/** A call whose host calls are questions that are answered after so many milliseconds. */
function askingCall(source: string, answerMs: number, isolation: "tool" | "call") {
  let clock: CallClock | undefined;
  return testCall(source, {
    isolation,
    timeoutMs: 500,
    onStart: (_remaining, callClock) => {
      clock = callClock;
    },
    onHostCall: async () => {
      clock?.pause();
      await delay(answerMs);
      clock?.resume();
      return { answer: { action: "decline" }, waitedMs: answerMs };
    },
  });
}

const asksAnd = (rest: string): string =>
  `async function main() { const answer = g.ask.elicit("Go on?"); ${rest} return (await answer).action; }`;

test("a question lifts the time limit for a script that waits, and not for one that computes meanwhile", async () => {
  await using sandbox = await testSandbox();
  for (const isolation of ["tool", "call"] as const) {
    // What the pause is: five times the limit, and the call still ends well.
    expect(gist(await sandbox.run(askingCall(asksAnd(""), 2_500, isolation)))).toEqual({ value: "decline" });
    const burning = [
      asksAnd("for (;;);"),
      asksAnd("await null; for (;;);"),
      // Each turn is short; all together they are not.
      asksAnd("const burn = () => { const end = Date.now() + 80; while (Date.now() < end); setTimeout(burn, 1); }; burn();"),
    ];
    for (const source of burning) {
      const started = performance.now();
      const result = await sandbox.run(askingCall(source, 20_000, isolation));
      expect(result.kind === "error" && result.error.code).toMatch(/^(TIMEOUT|SANDBOX_CRASHED)$/);
      expect(performance.now() - started).toBeLessThan(8_000);
    }
    expect(gist(await sandbox.run(testCall("async function main() { return 1 }", { tool: "next", isolation })))).toEqual({ value: 1 });
  }
});

const ELICITATION = { elicitation: {} };

/** A server with two tools that ask once and say what they were told; two tokens for two agents. */
async function askingServer() {
  const answers: unknown[] = [];
  const asks = ["asks", "asks-too"].map((name) =>
    codeTool(name, async ({ ask, signal }) => {
      const answer = await ask?.({ key: "q", message: "Sure?", schema: { type: "object", properties: {} } }, signal);
      answers.push(answer);
      return { kind: "value", value: answer?.action ?? "nobody" };
    }),
  );
  const server = await startTestHttp(testEngine(asks, ["a", "b"]), {
    auth: { kind: "token", verify: (token) => ({ agent: token }) },
  });
  onTestFinished(() => server.close(0));
  const call = async (agent: string, params: object = {}, args: object = {}, name = "asks"): Promise<unknown> => {
    const message = modernMessage("tools/call", { name, arguments: args, ...params }, 1, ELICITATION);
    const response = await post(server.url, message, { ...modernHeaders("tools/call", name), authorization: `Bearer ${agent}` });
    return (await messagesOf(response)).at(-1);
  };
  const question = async (agent: string): Promise<string> => {
    const asked = await call(agent);
    expect(asked).toMatchObject({ result: { resultType: "input_required", inputRequests: { q: { method: "elicitation/create" } } } });
    // The match above says that it is there.
    return (asked as { result: { requestState: string } }).result.requestState;
  };
  return { call, question, answers };
}

const accepted = (requestState: string): object => ({ requestState, inputResponses: { q: { action: "accept", content: {} } } });
const over = { result: { isError: true, structuredContent: { error: { code: "UNAVAILABLE" } } } };

test("an answer reaches the call that asked when it comes from the same agent, with the same arguments, once", async () => {
  const { call, question, answers } = await askingServer();
  const state = await question("a");
  expect(await call("a", accepted(state), { other: 1 })).toMatchObject(over);
  expect(answers).toEqual([]);
  expect(await call("a", accepted(state))).toMatchObject({ result: { content: [{ text: "accept" }] } });
  expect(await call("a", accepted(state))).toMatchObject(over);
  expect(answers).toHaveLength(1);
});

test("another agent cannot answer a question, even with the state it never should have seen", async () => {
  const { call, question, answers } = await askingServer();
  const state = await question("a");
  expect(await call("b", accepted(state))).toMatchObject({ error: { code: -32_602 } });
  expect(answers).toEqual([]);
  expect(await call("a", accepted(state))).toMatchObject({ result: { content: [{ text: "accept" }] } });
});

test("a state that was changed, or made up, is refused", async () => {
  const { call, question, answers } = await askingServer();
  const state = await question("a");
  const [version = "", body = "", mac = ""] = state.split(".");
  const payload = JSON.parse(Buffer.from(body, "base64url").toString());
  const forged = Buffer.from(JSON.stringify({ ...payload, p: { ...payload.p, round: 1 } })).toString("base64url");
  for (const bad of [`${state}x`, `${version}.${forged}.${mac}`, "v1.e30.e30", "", "null"]) {
    expect(await call("a", accepted(bad))).toMatchObject({ error: { code: -32_602 } });
  }
  expect(answers).toEqual([]);
});

test("an answer sent with the name of another tool reaches neither, and the call that asked still gets its own", async () => {
  const { call, question, answers } = await askingServer();
  const state = await question("a");
  for (const name of ["asks-too", "GetWorkspaceTools"]) expect(await call("a", accepted(state), {}, name)).toMatchObject(over);
  expect(answers).toEqual([]);
  expect(await call("a", accepted(state))).toMatchObject({ result: { content: [{ text: "accept" }] } });
});

test("an answer sent several times at once is heard once", async () => {
  const { call, question, answers } = await askingServer();
  const state = await question("a");
  const all = await Promise.all(Array.from({ length: 4 }, () => call("a", accepted(state))));
  expect(answers).toHaveLength(1);
  const errors = all.filter((answer) => JSON.stringify(answer).includes('"UNAVAILABLE"'));
  expect([errors.length, all.length]).toEqual([3, 4]);
});

test("a state is good for a quarter of an hour, longer than any question, and not a second more", async () => {
  const { call, question, answers } = await askingServer();
  const [early, late] = [await question("a"), await question("a")];
  const now = Date.now();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  // Only what the clock on the wall says; timers go on.
  vi.useFakeTimers({ toFake: ["Date"], now: now + 899_000 });
  expect(await call("a", accepted(early))).toMatchObject({ result: { content: [{ text: "accept" }] } });
  vi.setSystemTime(now + 902_000);
  expect(await call("a", accepted(late))).toMatchObject({ error: { code: -32_602 } });
  expect(answers).toHaveLength(1);
});

test("a question does not carry a secret that the call sent to the person who is asked", async () => {
  const value = "sk-live-very-secret-1234567890";
  const { port } = await serve((_request, response) => response.end("ok"));
  const root = makeFolder({
    "tools.json": {
      tools: [
        {
          name: "asks",
          description: "Asks",
          script: "a.js",
          headers: { "X-Api-Key": "{{API_KEY}}" },
          allowedHosts: [`127.0.0.1:${port}`],
        },
      ],
    },
    "a.js": `async function main() {
      await g.http.makeHttpRequest("http://127.0.0.1:${port}/");
      const form = { type: "object", properties: { k: { type: "string", description: "${value}" } } };
      return g.ask.elicit("Is it ${value}?", form);
    }`,
  });
  const home = makeHome();
  await storeSecret({ root, home }, "API_KEY", value, { hosts: [`http://127.0.0.1:${port}`] });
  const { engine } = await openTestRuntime(root, home);
  const asked: string[] = [];
  const result = await engine.call(
    { agent: "default", origin: "mcp" },
    {
      name: "asks",
      args: {},
      signal: new AbortController().signal,
      ask: async (question) => {
        asked.push(JSON.stringify(question));
        return { action: "decline" };
      },
    },
  );
  expect(result).toMatchObject({ kind: "ok", value: { action: "decline" } });
  expect(asked).toHaveLength(1);
  expect(asked[0]).not.toContain(value);
});
