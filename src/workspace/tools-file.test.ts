import { expect, test } from "vitest";
import { defaultLimits, type Limits } from "../core/limits.ts";
import type { Problem } from "../core/problem.ts";
import type { ToolEntry } from "./tool-entry.ts";
import { createReadingMemory, parseToolsFile, type ToolsFileOutcome } from "./tools-file.ts";

const base = defaultLimits();

function parse(file: unknown, own: Limits = base): ToolsFileOutcome {
  const text = typeof file === "string" ? file : JSON.stringify(file);
  return parseToolsFile(text, { base, own, memory: createReadingMemory() });
}

function tool(more: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { name: "a", description: "Does a.", script: "a.js", ...more };
}

/** The problems of a file with this one tool, errors and warnings, as `code severity message`. */
function problemsOf(more: Readonly<Record<string, unknown>>): readonly string[] {
  return textsOf(allProblems(parse({ tools: [tool(more)] })));
}

function allProblems(outcome: ToolsFileOutcome): readonly Problem[] {
  if (outcome.kind === "broken") return outcome.problems;
  return [...outcome.value.entries.flatMap(({ problems }) => problems), ...outcome.value.problems];
}

function textsOf(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ code, severity, message }) => `${code} ${severity} ${message}`);
}

function entryOf(outcome: ToolsFileOutcome, index = 0): ToolEntry | undefined {
  const entry = outcome.kind === "good" ? outcome.value.entries[index] : undefined;
  return entry?.kind === "good" ? entry.entry : undefined;
}

test("the two files that must load unchanged load without a word", () => {
  const first = `{ "tools": [ { "name": "search-products", "description": "Search the product catalog by keyword",
  "script": "scripts/search-products.js", "timeout": 30,
  "parameters": { "type": "object", "properties": { "keyword": { "type": "string" }, "maxResults": { "type": "number" } }, "required": ["keyword"] } } ] }`;
  const second = `{ "tools": [ { "name": "fetch-api-data", "description": "Fetch data from the internal API", "script": "scripts/api-fetch.js",
  "headers": { "Authorization": "Bearer {{API_TOKEN}}", "X-Api-Key": "<<API_KEY>>" } } ] }`;
  expect([allProblems(parse(first)), allProblems(parse(second))]).toEqual([[], []]);
  expect(entryOf(parse(first))?.timeout?.timeoutMs).toBe(30_000);
  expect(entryOf(parse(second))?.headers?.map(({ name, value, replaceExisting }) => [name, value, replaceExisting])).toEqual([
    ["Authorization", "Bearer {{API_TOKEN}}", true],
    ["X-Api-Key", "<<API_KEY>>", true],
  ]);
});

const PLACE = 'A secret stands here by its template, but only "headers", "query" and "auth" are filled in; scripts never get secrets.';

test.each<[string, Record<string, unknown>, readonly string[]]>([
  ["a misspelled key", { timout: 3 }, ['UNKNOWN_KEY warning "timout" is not a key here; did you mean "timeout"?']],
  ["a key of nothing known", { colour: 3 }, ['UNKNOWN_KEY warning "colour" is not a key here; it is ignored.']],
  [
    "a misspelled key deep inside",
    { limits: { memoryMB: 64 } },
    ['UNKNOWN_KEY warning "memoryMB" is not a key here; did you mean "memoryMb"?'],
  ],
  [
    "a misspelled key of a header",
    { headers: { a: { value: "b", host: [] } } },
    ['UNKNOWN_KEY warning "host" is not a key here; did you mean "hosts"?'],
  ],
  ["free keys", { "x-mine": { anything: 1 }, config: { anything: 1 } }, []],
  ["a missing key", { script: undefined }, ['MISSING_KEY error "script" is missing; expected a path.']],
  ["a wrong type", { description: 5 }, ['INVALID_VALUE error "description" must be text; found 5.']],
  [
    "a wrong type deep inside",
    { limits: { memoryMb: "64" } },
    ['INVALID_VALUE error "limits.memoryMb" must be a whole number; found "64".'],
  ],
  [
    "an empty description",
    { description: "" },
    ['INVALID_VALUE error "description" must be text that tells a model what the tool does; found "".'],
  ],
  [
    "a name with a slash",
    { name: "a/b" },
    ['INVALID_VALUE error "name" must be of 1 to 128 letters, digits, "_", "." and "-"; found "a/b".'],
  ],
  [
    "a name of 129 letters",
    { name: "a".repeat(129) },
    [`INVALID_VALUE error "name" must be of 1 to 128 letters, digits, "_", "." and "-"; found "${"a".repeat(59)}….`],
  ],
  [
    "a name with hidden characters",
    { name: "a\u200Bb" },
    ['HIDDEN_CHARACTERS error "name" has invisible characters (U+200B). Type it anew.'],
  ],
  [
    "a reserved name",
    { name: "getworkspacetools" },
    ['RESERVED_NAME error "getworkspacetools" is a name the server itself uses. Choose another one.'],
  ],
  ["a timeout of zero", { timeout: 0 }, ['INVALID_VALUE error "timeout" must be a number of seconds above 0; found 0.']],
  ["a timeout as text", { timeout: "30s" }, ['INVALID_VALUE error "timeout" must be a number of seconds; found "30s".']],
  ["an unknown isolation", { isolation: "none" }, ['INVALID_VALUE error "isolation" must be "tool" or "call"; found "none".']],
  ["a path that leaves", { script: "../a.js" }, ['PATH_OUTSIDE error "script" leaves its folder by "..".']],
  ["a script that is no code", { script: "a.json" }, ['INVALID_VALUE error "script" must end in .js, .mjs, .ts, .mts.']],
  [
    "too much memory",
    { limits: { memoryMb: 4_096 } },
    ['LIMIT_RANGE warning "memoryMb" is 4096; a workspace may set at most 1024 (MiB). 1024 is used.'],
  ],
  [
    "too little memory",
    { limits: { memoryMb: 8 } },
    ['LIMIT_RANGE warning "memoryMb" is 8; a workspace may set at least 32 (MiB). 32 is used.'],
  ],
  [
    "a limit that can only be lowered",
    { limits: { redirects: 6 } },
    ['LIMIT_RANGE warning "redirects" is 6; a workspace may set at most 5 (count). 5 is used.'],
  ],
  ["a host with a scheme", { allowedHosts: ["https://a.example"] }, ["HOST_PATTERN error"]],
  ["a bad host of a header", { headers: { a: { value: "b", hosts: ["a b"] } } }, ["HOST_PATTERN error"]],
  ["a template in config", { config: { a: [{ b: "{{ TOKEN }}" }] } }, [`TEMPLATE_PLACE error ${PLACE}`]],
  ["a template in a host", { allowedHosts: ["<<HOST>>"] }, [`TEMPLATE_PLACE error ${PLACE}`]],
  ["a template in text for people", { description: "Sends {{API_TOKEN}}." }, []],
  [
    "a header of the connection",
    { headers: { "Transfer-Encoding": "x" } },
    ['INVALID_VALUE error "Transfer-Encoding" belongs to the connection and cannot be set.'],
  ],
  [
    "a header twice",
    { headers: { Accept: "x", accept: "y" } },
    ['DUPLICATE_KEY error "accept" stands twice in "headers", compared without regard to case; keep one of the two.'],
  ],
  ["a header's name that is none", { headers: { "a b": "x" } }, ['INVALID_VALUE error "headers.a b" must be a name of a header.']],
  ["a line break in a header", { headers: { a: "x\r\nHost: b" } }, ['INVALID_VALUE error "headers.a" must be text on one line.']],
  ["a header that is a number", { headers: { a: 5 } }, ['INVALID_VALUE error "headers.a" must be text.']],
  ["a header without value", { headers: { a: { hosts: [] } } }, ['MISSING_KEY error "headers.a.value" is missing; expected text.']],
  [
    "a hint that is no boolean",
    { annotations: { readOnlyHint: "yes" } },
    ['INVALID_VALUE error "annotations.readOnlyHint" must be true or false; found "yes".'],
  ],
  [
    "a bad schema",
    { parameters: { properties: { days: { type: "int" } } } },
    ['SCHEMA_INVALID error "parameters.properties.days.type" is "int"; JSON Schema has "integer".'],
  ],
  ["a bad schema of the result", { output: { type: "int" } }, ['SCHEMA_INVALID error "output.type" is "int"; JSON Schema has "integer".']],
  [
    "tag characters in a description",
    { description: "a\u{E0041}" },
    ['HIDDEN_CHARACTERS error "description" hides text from people by invisible characters (U+E0041). Remove them.'],
  ],
  [
    "direction controls in a schema",
    { parameters: { properties: { a: { description: "\u202Eb" } } } },
    ['HIDDEN_CHARACTERS error "parameters" hides text from people by invisible characters (U+202E). Remove them.'],
  ],
  ["a zero width space in a title", { title: "a\u200Bb" }, ['HIDDEN_CHARACTERS warning "title" has invisible characters (U+200B).']],
  ["a disabled tool that is broken", { enabled: false, script: 5 }, []],
])("%s", (_name, more, problems) => {
  const found = problemsOf(more);
  // What a host lacks is told by the matcher's own words.
  expect(found.map((text, index) => (problems[index] === "HOST_PATTERN error" ? text.slice(0, 18) : text))).toEqual(problems);
});

test("an error sets aside only its own tool", () => {
  const outcome = parse({ tools: [tool({ name: "a" }), tool({ name: "b", timeout: -1 }), 7, tool({ name: "c" })] });
  expect(
    outcome.kind === "good" && outcome.value.entries.map((entry) => (entry.kind === "good" ? entry.entry.name : `${entry.name} broken`)),
  ).toEqual(["a", "b broken", "tools[2] broken", "c"]);
});

test("of tools of one name the first stays, compared without regard to case", () => {
  const outcome = parse({ tools: [tool({ name: "Tool" }), tool({ name: "tOOL" }), tool({ name: "other" }), tool({ name: "Tool" })] });
  expect(outcome.kind === "good" && outcome.value.entries.map(({ kind }) => kind)).toEqual(["good", "broken", "good", "broken"]);
  expect(textsOf(allProblems(outcome))).toEqual([
    'DUPLICATE_NAME error "tOOL" differs from "Tool" at tools.json:1:11 only in upper and lower case, which clients may not tell apart. Rename one of them.',
    'DUPLICATE_NAME error The tool at tools.json:1:11 is named "Tool" too. Rename one of them.',
  ]);
});

test("a key that stands twice in an entry sets aside that tool only", () => {
  const outcome = parse(
    '{"tools": [{"name": "a", "description": "x", "script": "a.js", "script": "b.js"},\n{"name": "b", "description": "x", "script": "a.js"}]}',
  );
  expect(outcome.kind === "good" && outcome.value.entries.map(({ kind }) => kind)).toEqual(["broken", "good"]);
  expect(allProblems(outcome).map(({ code, tool: name }) => [code, name])).toEqual([["DUPLICATE_KEY", "a"]]);
});

test("__proto__ in an entry sets that tool aside and reaches no prototype", () => {
  const outcome = parse('{"tools": [{"name": "a", "description": "x", "script": "a.js", "config": {"__proto__": {"polluted": 1}}}]}');
  expect(allProblems(outcome).map(({ code }) => code)).toEqual(["INVALID_VALUE"]);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

test.each<[string, string, string]>([
  ["a file that is a list", "[]", 'INVALID_VALUE error tools.json must be an object with "tools".'],
  ["a file without tools", "{}", 'MISSING_KEY error "tools" is missing; expected a list of tools.'],
  ["tools that are no list", '{"tools": {}}', 'INVALID_VALUE error "tools" must be a list of tools; found an object.'],
  [
    "a file of a newer format",
    '{"version": 2, "tools": []}',
    "FILE_VERSION error tools.json has format version 2; this toolyard reads version 1.",
  ],
  ["a version that is none", '{"version": "1", "tools": []}', 'INVALID_VALUE error "version" must be 1; found "1".'],
  ["a key twice at the top", '{"tools": [], "tools": []}', 'DUPLICATE_KEY error "tools" stands twice in one object; keep one of the two.'],
  [
    "defaults with an error",
    '{"tools": [], "defaults": {"timeout": "x"}}',
    'INVALID_VALUE error "defaults.timeout" must be a number of seconds; found "x".',
  ],
])("%s is refused as a whole", (_name, text, problem) => {
  const outcome = parse(text);
  expect([outcome.kind, textsOf(allProblems(outcome))]).toEqual(["broken", [problem]]);
});

test("an unknown key at the top is a warning and the tools stay", () => {
  const outcome = parse({ tool: [], tools: [tool({})] });
  expect([outcome.kind, textsOf(allProblems(outcome))]).toEqual([
    "good",
    ['UNKNOWN_KEY warning "tool" is not a key here; did you mean "tools"?'],
  ]);
});

test("more tools than the limit are told and not read", () => {
  const outcome = parse({ tools: [tool({ name: "a" }), tool({ name: "b" }), tool({ name: "c" })] }, { ...base, tools: 2 });
  expect(outcome.kind === "good" && outcome.value.entries.length).toBe(2);
  expect(textsOf(allProblems(outcome))).toEqual(['LIMIT_RANGE error 3 tools are written here; the first 2 are read (limit "tools").']);
});

test("a field of an entry replaces the default; of limits and config each key counts", () => {
  const defaults = {
    timeout: 5,
    headers: { a: "1" },
    allowedHosts: ["a.example"],
    limits: { memoryMb: 32, redirects: 1 },
    config: { a: 1, b: 1 },
  };
  const outcome = parse({
    defaults,
    tools: [tool({}), tool({ name: "b", timeout: 7, headers: { b: "2" }, allowedHosts: [], limits: { redirects: 2 }, config: { b: 2 } })],
  });
  const facts = [0, 1].map((index) => {
    const entry = entryOf(outcome, index);
    return [entry?.timeout?.timeoutMs, entry?.headers?.map(({ name }) => name), entry?.allowedHosts, entry?.limits, entry?.config];
  });
  expect(facts).toEqual([
    [5_000, ["a"], ["a.example"], { memoryMb: 32, redirects: 1 }, { a: 1, b: 1 }],
    [7_000, ["b"], [], { memoryMb: 32, redirects: 2 }, { a: 1, b: 2 }],
  ]);
});

test("no value and no line of a header or of config is in a problem", () => {
  const outcome = parse({ tools: [tool({ headers: { a: ["canary"], Host: "canary" }, config: "canary" })] });
  expect(allProblems(outcome).length).toBeGreaterThan(1);
  expect(JSON.stringify(allProblems(outcome))).not.toContain("canary");
});
