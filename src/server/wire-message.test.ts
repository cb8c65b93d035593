import { expect, test } from "vitest";
import { parseJsonBytes } from "./json-text.ts";
import { argumentsAsWritten, toWireMessage } from "./wire-message.ts";

function read(text: string | Buffer): unknown {
  const message = toWireMessage(parseJsonBytes(Buffer.from(text)));
  return message.kind === "message" ? message.message : [message.error.code, message.error.id];
}

test("requests, notifications and responses pass as they are", () => {
  for (const message of [
    { jsonrpc: "2.0", id: 1, method: "tools/list" },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: "a", result: { ok: true } },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", arguments: { b: [1, { c: null }] }, _meta: { progressToken: 1 } } },
  ]) {
    expect(read(JSON.stringify(message))).toEqual(message);
  }
});

test("what is no message gets the code of JSON-RPC, with the id if it tells one", () => {
  expect(read("{")).toEqual([-32_700, null]);
  expect(read(Buffer.from([0x7b, 0xff, 0x7d]))).toEqual([-32_700, null]);
  expect(read('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).toEqual([-32_600, null]);
  expect(read("[]")).toEqual([-32_600, null]);
  expect(read("null")).toEqual([-32_600, null]);
  expect(read('{"id":3,"method":"ping"}')).toEqual([-32_600, 3]);
  expect(read('{"jsonrpc":"2.0","id":{},"method":"ping"}')).toEqual([-32_600, null]);
});

test("a batch is refused as what it is, whatever it holds", () => {
  for (const text of ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "[]"]) {
    expect(toWireMessage(parseJsonBytes(Buffer.from(text)))).toEqual({
      kind: "refused",
      error: { code: -32_600, message: "Batches are not supported. Send each message by itself.", id: null },
    });
  }
});

test("nesting is counted outside of strings, and 64 levels are the most", () => {
  const nested = (levels: number): string => `{"jsonrpc":"2.0","method":"x","params":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
  expect(read(nested(62))).toMatchObject({ method: "x" });
  expect(read(nested(63))).toEqual([-32_600, null]);
  const brackets = `{"jsonrpc":"2.0","method":"x","params":{"a":"\\"${"[".repeat(100)}\\\\"}}`;
  expect(read(brackets)).toMatchObject({ method: "x" });
});

test("null as the arguments of a call means none", () => {
  expect(read('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":null}}')).toEqual({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "a" },
  });
});

test("arguments that are the JSON text of an object pass as that object for the checks on the way, and reach the handler as the text", () => {
  const params = { name: "a", arguments: '{ "b": [1], "__proto__": 2 }', _meta: { progressToken: 1 } };
  const message = toWireMessage({ kind: "value", value: { jsonrpc: "2.0", id: 4, method: "tools/call", params } });
  const passed = message.kind === "message" && "params" in message.message ? message.message.params : undefined;
  expect(passed).toMatchObject({ arguments: { b: [1] }, _meta: { progressToken: 1 } });
  // As the SDK hands them on, without that key.
  expect(argumentsAsWritten({ b: [1] }, passed?._meta)).toBe('{"b":[1],"__proto__":null}');
  expect(argumentsAsWritten({ b: [1] }, { progressToken: 1 })).toEqual({ b: [1] });
});

test("a call of a bad shape is answered in words that name what was expected and what was found", () => {
  const answer = (params: unknown): unknown => {
    const message = toWireMessage({ kind: "value", value: { jsonrpc: "2.0", id: 4, method: "tools/call", params } });
    return message.kind === "message" ? "accepted" : [message.error.code, message.error.id, message.error.message];
  };
  const args = '"arguments" of tools/call must be an object with what the tool takes, or left out; found';
  expect(answer({ name: "a", arguments: 5 })).toEqual([-32_602, 4, `${args} a number.`]);
  expect(answer({ name: "a", arguments: ["x"] })).toEqual([-32_602, 4, `${args} an array.`]);
  for (const text of ["", "x", "[1]", "{", `{"a":${"[".repeat(70)}${"]".repeat(70)}}`]) {
    expect(answer({ name: "a", arguments: text })).toEqual([-32_602, 4, `${args} a string. Send the object itself, not its JSON text.`]);
  }
  const name = '"name" of tools/call must be the name of a tool, as text; found';
  expect(answer({})).toEqual([-32_602, 4, `${name} nothing.`]);
  expect(answer({ name: { a: 1 } })).toEqual([-32_602, 4, `${name} an object.`]);
  const params = 'The parameters of tools/call must be an object with "name" and "arguments"; found';
  expect(answer(undefined)).toEqual([-32_602, 4, `${params} nothing.`]);
  expect(answer([])).toEqual([-32_602, 4, `${params} an array.`]);
  expect(answer(5)).toEqual([-32_602, 4, `${params} a number.`]);
  expect(answer({ name: "a" })).toBe("accepted");
  expect(answer({ name: "a", arguments: {} })).toBe("accepted");
  const notification = { jsonrpc: "2.0", method: "tools/call", params: { name: "a", arguments: 5 } };
  expect(toWireMessage({ kind: "value", value: notification }).kind).toBe("message");
});

test("parameters of other requests are named as well, for both generations, and methods that 2026-07-28 lacks are left to be unknown there", () => {
  const answer = (method: string, params: unknown): unknown => {
    const message = toWireMessage({ kind: "value", value: { jsonrpc: "2.0", id: 4, method, params } });
    return message.kind === "message" ? "accepted" : message.error.message;
  };
  expect(answer("prompts/get", {})).toBe('"name" of prompts/get must be the name of a prompt, as text; found nothing.');
  expect(answer("prompts/get", { name: "a", arguments: { n: 5 } })).toBe('"arguments.n" of prompts/get must be text; found a number.');
  expect(answer("resources/read", { uri: 5 })).toBe('"uri" of resources/read must be the URI of a resource, as text; found a number.');
  expect(answer("resources/read", undefined)).toBe('The parameters of resources/read must be an object with "uri"; found nothing.');
  expect(answer("completion/complete", { ref: { type: "ref/prompt", name: "a" }, argument: { name: "b" } })).toBe(
    '"argument.value" of completion/complete must be what was typed so far, as text; found nothing.',
  );
  expect(answer("completion/complete", { ref: { type: "x" }, argument: {} })).toContain(
    '"ref.type" of completion/complete must be "ref/prompt"',
  );
  for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
    const whole = `"cursor" of ${method} must be left out: each list is given whole, in one page; found`;
    expect(answer(method, { cursor: "next" })).toBe(`${whole} a string.`);
    expect(answer(method, { cursor: 1 })).toBe(`${whole} a number.`);
    expect(answer(method, { cursor: "" })).toBe("accepted");
  }
  expect(answer("completion/complete", { ref: { type: "ref/resource" }, argument: { name: "b", value: "" } })).toBe(
    '"ref.uri" of completion/complete must be the URI of a resource or of a template, as text; found nothing.',
  );
  expect(answer("logging/setLevel", { level: "loud" })).toContain('"level" of logging/setLevel must be one of debug, info');
  const modern = {
    _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} },
  };
  for (const [method, params] of [
    ["logging/setLevel", modern],
    ["resources/subscribe", modern],
    ["tools/list", undefined],
    ["tools/list", {}],
    ["ping", undefined],
    ["unknown/method", 5],
  ] as const)
    expect(answer(method, params), method).toBe(
      method === "unknown/method" ? "The message is not a JSON-RPC 2.0 request, notification or response." : "accepted",
    );
});

function faultOf(method: string, params: unknown): unknown {
  const message = toWireMessage({ kind: "value", value: { jsonrpc: "2.0", id: 4, method, params } });
  return message.kind === "message" ? "accepted" : [message.error.code, message.error.isMalformed, message.error.message];
}

test("an initialize that lacks something, or has it of another type, is told the field and what was expected", () => {
  const good = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } };
  const told = (field: string): unknown => [-32_602, false, `"${field}.`];
  expect(faultOf("initialize", good)).toBe("accepted");
  expect(faultOf("initialize", {})).toEqual(
    told('protocolVersion" of initialize must be the version of the protocol, such as "2025-11-25", as text; found nothing'),
  );
  expect(faultOf("initialize", { ...good, protocolVersion: 5 })).toEqual(
    told('protocolVersion" of initialize must be the version of the protocol, such as "2025-11-25", as text; found a number'),
  );
  expect(faultOf("initialize", { ...good, capabilities: { roots: { listChanged: "yes" } } })).toEqual(
    told('capabilities.roots.listChanged" of initialize must be true or false; found a string'),
  );
  expect(faultOf("initialize", { ...good, capabilities: { experimental: { a: 1 } } })).toEqual(
    told('capabilities.experimental.a" of initialize must be an object; found a number'),
  );
  expect(faultOf("initialize", { ...good, clientInfo: { name: "a" } })).toEqual(
    told("clientInfo.version\" of initialize must be the client's version, as text; found nothing"),
  );
});

test("a _meta of 2026-07-28 that lacks something, or has it of another type, makes a malformed request that is told the field", () => {
  const [version, capabilities, info, level] = ["protocolVersion", "clientCapabilities", "clientInfo", "logLevel"].map(
    (key) => `io.modelcontextprotocol/${key}`,
  );
  const fault = (meta: unknown): unknown => faultOf("tools/list", { _meta: meta });
  const told = (field: string): unknown => [-32_602, true, `"_meta${field}.`];
  const good = { [`${version}`]: "2026-07-28", [`${capabilities}`]: {} };
  expect(fault(good)).toBe("accepted");
  expect(fault({ [`${capabilities}`]: {} })).toBe("accepted");
  expect(fault({ [`${version}`]: "2026-07-28" })).toEqual(
    told(`.${capabilities}" of tools/list must be an object with what the client can do, such as {}; found nothing`),
  );
  expect(fault({ ...good, [`${version}`]: 20_260_728 })).toEqual(
    told(`.${version}" of tools/list must be the version of the protocol, such as "2026-07-28", as text; found a number`),
  );
  expect(fault({ ...good, [`${capabilities}`]: { sampling: 5 } })).toEqual(
    told(`.${capabilities}.sampling" of tools/list must be an object; found a number`),
  );
  expect(fault({ ...good, [`${info}`]: { name: 5 } })).toEqual(
    told(`.${info}.name" of tools/list must be the client's name, as text; found a number`),
  );
  expect(fault({ ...good, [`${level}`]: "loud" })).toMatchObject([-32_602, true, expect.stringContaining(`"_meta.${level}"`)]);
  expect(fault("x")).toEqual([
    -32_602,
    true,
    '"_meta" of tools/list must be an object; found a string. Send the object itself, not its JSON text.',
  ]);
  expect(fault({ progressToken: {} })).toEqual(told('.progressToken" of tools/list must be text or a whole number; found an object'));
});
