// Text that people do not see and models read: no text of a workspace may carry it to a model.
import { expect, test } from "vitest";
import { callModern, modernHeaders, modernMessage, post, startTestHttp } from "../support/mcp-http.ts";
import { makeHome, openTestRuntime } from "../support/runtime.ts";
import { makeFolder, openWorkspace, PLAIN_SCRIPT } from "../support/workspace-folder.ts";

/** Text in tag characters: a person sees nothing, a model reads it. */
function invisible(text: string): string {
  return [...text].map((character) => String.fromCodePoint(0xe0000 + character.charCodeAt(0))).join("");
}

/** What is written so in a text. */
function readInvisible(text: string): readonly string[] {
  const plain = text.replace(/\\u([0-9a-f]{4})/gi, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return (plain.match(/[\u{E0020}-\u{E007E}]+/gu) ?? []).map((run) =>
    [...run].map((character) => String.fromCharCode((character.codePointAt(0) ?? 0) - 0xe0000)).join(""),
  );
}

const hide = (field: string): string => `seen${invisible(field)}`;
const tool = (name: string, more: object): object => ({ name, description: "d", script: "scripts/a.js", ...more });
const property = (more: object): object => ({ parameters: { type: "object", properties: { a: { type: "string", ...more } } } });

/** Every text of the files that a model could come to read, each with its own hidden word. */
const HIDING = {
  "scripts/a.js": PLAIN_SCRIPT,
  "scripts/broken.js": `async function main() {\n  // ${hide("line of a script")}\n  return ((; // ${hide("line with a fault")}\n}\n`,
  [`scripts/${hide("name of a file")}.js`]: "async function main() { return ((; }",
  "good.md": "text",
  "hiding.md": hide("text of a file"),
  "tools.json": {
    [hide("key of the file")]: 1,
    tools: [
      tool("plain", {}),
      tool("t1", { title: hide("title") }),
      tool("t2", { description: hide("description") }),
      tool("t3", { annotations: { title: hide("title in annotations") } }),
      tool("t4", property({ description: hide("description of a parameter") })),
      tool("t5", { parameters: { type: "object", properties: { [hide("name of a parameter")]: {} } } }),
      tool("t6", property({ enum: [hide("value of an enum")] })),
      tool("t7", { output: { type: "object", properties: { a: { description: hide("description of a result") } } } }),
      tool(hide("name"), {}),
      tool("t8", { [hide("key of an entry")]: 1 }),
      tool("t9", { script: `scripts/${hide("path")}.js` }),
      tool("t10", { headers: { [hide("header")]: "x" } }),
      tool("t12", { allowedHosts: [hide("host")] }),
      tool("t13", { limits: { [hide("limit")]: 1 } }),
      tool("t14", { description: hide("description of a broken entry"), script: 5 }),
      tool("t15", { isolation: hide("word of a list") }),
      tool("t16", { parameters: { type: hide("type") } }),
      tool("t17", property({ $ref: hide("reference") })),
      tool("t18", property({ pattern: `(${hide("pattern")}` })),
      tool("t20", { script: "scripts/broken.js" }),
      tool("t21", { script: `scripts/${hide("name of a file")}.js` }),
      tool("t19", { config: { [hide("key of config")]: hide("value of config") } }),
    ],
    prompts: [
      { name: "plain", description: "d", messages: [{ text: "x" }] },
      { name: "p1", title: hide("title of a prompt"), description: "d", messages: [{ text: "x" }] },
      { name: "p2", description: hide("description of a prompt"), messages: [{ text: "x" }] },
      { name: "p3", description: "d", arguments: [{ name: "a", description: hide("argument") }], messages: [{ text: "{{a}}" }] },
      { name: "p4", description: "d", arguments: [{ name: "a", values: [hide("value")] }], messages: [{ text: "{{a}}" }] },
      { name: "p5", description: "d", messages: [{ text: hide("text of a prompt") }] },
      { name: "p6", description: "d", messages: [{ text: "x", uri: `file:///${hide("uri of a message")}` }] },
      { name: "p7", description: "d", file: "hiding.md" },
      { name: "p8", description: "d", file: hide("path of a prompt") },
      { name: hide("name of a prompt"), description: "d", messages: [{ text: "x" }] },
    ],
    resources: [
      { uri: "docs://plain", name: "plain", file: "good.md" },
      { uri: `docs://${hide("uri")}`, name: "r1", file: "good.md" },
      { uri: "docs://2", name: hide("name of a resource"), file: "good.md" },
      { uri: "docs://3", name: "r3", title: hide("title of a resource"), file: "good.md" },
      { uri: "docs://4", name: "r4", description: hide("description of a resource"), file: "good.md" },
      { uri: "docs://5", name: "r5", mimeType: hide("type of a resource"), file: "good.md" },
      { uri: `docs://{${hide("place")}}`, name: "r6", file: "good.md" },
    ],
  },
  "toolyard.json": { [hide("key of the settings")]: 1, limits: { [hide("limit of the settings")]: 1 } },
};

test("no text of a workspace that hides words in invisible characters reaches a model, wherever it stands", async () => {
  const root = makeFolder(HIDING);
  // What a model would be given if the files were handed on as they are.
  expect(readInvisible(JSON.stringify(HIDING)).length).toBeGreaterThan(35);
  const runtime = await openTestRuntime(root, makeHome());
  await using server = await startTestHttp(runtime.engine);
  const ask = async (method: string, params: object = {}, name?: string): Promise<string> =>
    (await post(server.url, modernMessage(method, params), modernHeaders(method, name))).text();
  const seen = [
    await ask("server/discover"),
    await ask("tools/list"),
    await ask("prompts/list"),
    await ask("resources/list"),
    await ask("resources/templates/list"),
    ...(await Promise.all(
      ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"].map((name) => ask("prompts/get", { name, arguments: { a: "1" } }, name)),
    )),
    await (await callModern(server.url, "GetWorkspaceTools", {})).text(),
    await (await callModern(server.url, "ReloadWorkspaceTools", {})).text(),
    await (await callModern(server.url, "t9", {})).text(),
    await (await callModern(server.url, "t14", {})).text(),
    await (await callModern(server.url, "t20", {})).text(),
    await (await callModern(server.url, "t21", {})).text(),
    JSON.stringify(runtime.engine.problems().map(({ message, tool: name, offer }) => [message, name, offer])),
  ].join("\n");
  expect(readInvisible(seen)).toEqual([]);
  expect(seen.match(/[\u202A-\u202E\u2066-\u2069]/g)).toBeNull();
  // What is sound is there, so the answers are no empty ones.
  for (const name of ['"plain"', "docs://plain", "HIDDEN_CHARACTERS", "seen\\\\u{E006E}"]) expect(seen).toContain(name);
});

test("a text that turns the direction of writing is refused in the same places, and emoji and Arabic are not", async () => {
  const root = makeFolder({
    "a.md": "x\u202Ey",
    "tools.json": {
      tools: [],
      prompts: [
        { name: "turned", description: "a\u202Eb", messages: [{ text: "x" }] },
        { name: "file", description: "d", file: "a.md" },
        { name: "family", description: "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}", messages: [{ text: "مرحبا بالعالم ❤️" }] },
      ],
      resources: [],
    },
  });
  const workspace = await openWorkspace(root, { watch: false });
  expect(workspace.current().offers.prompts.map(({ definition }) => definition.name)).toEqual(["family"]);
  expect(workspace.current().problems.map(({ code, offer }) => [code, offer])).toEqual([
    ["HIDDEN_CHARACTERS", 'prompt "turned"'],
    ["HIDDEN_CHARACTERS", 'prompt "file"'],
  ]);
});
