/** Scripts that ask their person, and clients of both generations that are asked, without an SDK. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { silentLog } from "../../src/core/log.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { CallRecord } from "../../src/engine/record.ts";
import { openRuntime } from "../../src/engine/runtime.ts";
import { legacyMessage, modernMessage } from "./mcp-http.ts";
import { connectLegacy, connectPiped, type PipedMcp } from "./mcp-pipe.ts";
import { entry, putFiles } from "./workspace-folder.ts";

/** Capabilities of a client that shows forms. */
export const CAN_ASK = { elicitation: {} };

const SCRIPTS = {
  "scripts/asks.js": `async function main({ form }) {
    const schema = { type: "object", properties: { size: { type: "string", enum: ["small", "large"] } }, required: ["size"] };
    const answer = await g.ask.elicit("Which size?", form === false ? undefined : schema);
    return answer.action === "accept" ? { size: answer.content.size ?? null } : answer.action;
  }`,
  "scripts/hangs.js": "function main() { return g.run.sleep(1e6); }",
  "scripts/many.js": `async function main() {
    const actions = [];
    for (const key of ["a", "b", "c", "d"]) {
      try { actions.push((await g.ask.elicit("Go on with " + key + "?", undefined, { key })).action); }
      catch (error) { actions.push(error.code); }
    }
    return actions.join(" ");
  }`,
  "scripts/both.js": `async function main() {
    const ask = (key) => g.ask.elicit(key + "?", undefined, { key });
    return (await Promise.all([ask("a"), ask("b")])).map(({ action }) => action).join(" ");
  }`,
};

/** An open workspace of tools that ask, each with a time limit of 500 ms; `hangs` asks nothing and never ends. */
export interface AskingBench {
  readonly engine: Engine;
  /** The record of the next call that ends, once the call is over. */
  nextRecord(): Promise<CallRecord>;
}

/** Opens it with these limits; the stack closes it. */
export async function openAskingBench(stack: AsyncDisposableStack, limits: object): Promise<AskingBench> {
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), "asking-"));
    stack.defer(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };
  const root = folder();
  const tools = ["asks", "hangs", "many", "both"].map((name) => entry(name, { script: `scripts/${name}.js`, timeout: 0.5 }));
  putFiles(root, { ...SCRIPTS, "tools.json": { tools }, "toolyard.json": { limits } });
  let ended = Promise.withResolvers<CallRecord>();
  const record = (done: CallRecord): void => {
    ended.resolve(done);
    ended = Promise.withResolvers();
  };
  const options = { root, home: folder(), key: { keychain: false }, poll: false, watch: false, log: silentLog, warmUp: true, record };
  const { engine } = stack.use(await openRuntime(options));
  const nextRecord: AskingBench["nextRecord"] = async () => {
    const done = await ended.promise;
    // It is written just before the call hands back its result.
    await setImmediate();
    return done;
  };
  return { engine, nextRecord };
}

/** One client that is asked; the same to the tests in either generation. */
export interface AskedClient {
  readonly client: PipedMcp;
  /** Begins a call; its next question is there when this settles. */
  begin(name: string, args?: object): Promise<void>;
  /** The question that is open: its key (of 2026-07-28 only), message and form. */
  question(): JsonObject;
  /** Answers it; settles with the next question ("asked"), or the result. */
  answer(response: object): Promise<unknown>;
}

/** True for a request that asks, of 2025-11-25. */
export const isQuestion = ({ method }: JsonObject): boolean => method === "elicitation/create";

/** Of 2025-11-25, over pipes. */
export async function legacyAsked({ engine }: AskingBench): Promise<AskedClient> {
  const client = await connectLegacy(engine, {}, CAN_ASK);
  let callId = 0;
  let asked = 0;
  const questions = (): readonly JsonObject[] => client.messages.filter(isQuestion);
  return {
    client,
    begin: async (name, args = {}) => {
      asked = questions().length;
      client.send(legacyMessage("tools/call", { name, arguments: args }, ++callId));
      await client.heard(() => questions().length > asked);
    },
    question: () => {
      const params = questions().at(-1)?.params;
      return isJsonObject(params) ? params : {};
    },
    answer: async (response) => {
      asked = questions().length;
      client.send({ jsonrpc: "2.0", id: questions().at(-1)?.id, result: response });
      const next = client.heard(() => questions().length > asked).then(() => "asked");
      return Promise.race([next, client.answer(callId).then(({ result }) => result)]);
    },
  };
}

/** Of 2026-07-28, over pipes. */
export async function modernAsked({ engine }: AskingBench): Promise<AskedClient> {
  const client = connectPiped(engine);
  let id = 0;
  let call: JsonObject = {};
  let last: JsonObject = {};
  const send = async (more: object): Promise<void> => {
    client.send(modernMessage("tools/call", { ...call, ...more }, ++id, CAN_ASK));
    const { result } = await client.answer(id);
    last = isJsonObject(result) ? result : {};
  };
  const inputs = (): readonly [string, JsonObject][] =>
    Object.entries(isJsonObject(last.inputRequests) ? last.inputRequests : {}).map(([key, one]) => [
      key,
      isJsonObject(one) && isJsonObject(one.params) ? one.params : {},
    ]);
  return {
    client,
    begin: async (name, args = {}) => {
      call = { name, arguments: { ...args } };
      await send({});
      expect(last.resultType).toBe("input_required");
    },
    question: () => inputs()[0]?.[1] ?? {},
    answer: async (response) => {
      const [[key = ""] = []] = inputs();
      await send({ inputResponses: { [key]: response }, requestState: last.requestState });
      return last.resultType === "input_required" ? "asked" : last;
    },
  };
}

/** Both kinds, by the revision they speak. */
export const ASKED_CLIENTS = [
  ["2025-11-25", legacyAsked],
  ["2026-07-28", modernAsked],
] as const;
