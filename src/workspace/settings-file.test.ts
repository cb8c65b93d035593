import { expect, test } from "vitest";
import { defaultLimits, type Limits } from "../core/limits.ts";
import { parseSettingsFile } from "./settings-file.ts";

const base = defaultLimits();

test("settings of both known shapes give the agents' names", () => {
  const names = (agents: unknown): unknown => {
    const outcome = parseSettingsFile(JSON.stringify({ agents }), base);
    return outcome.kind === "good" ? outcome.value.settings.agents : outcome.problems.map(({ code }) => code);
  };
  expect([
    names([{ agentId: "a" }, { agentId: "b" }]),
    names({ list: [{ id: "c" }, { id: "c" }] }),
    names(undefined),
    names([{ id: "x" }]),
  ]).toEqual([["a", "b"], ["c"], [], ["MISSING_KEY", "UNKNOWN_KEY"]]);
});

test("settings lower limits, raise those with a range, and say what they cannot", () => {
  const outcome = parseSettingsFile(
    JSON.stringify({
      limits: { resultBytes: 1_000, memoryMb: 512, concurrentCalls: 99, callTimeoutMs: 60_000 },
      network: { enabled: false, allowHttp: false, timeout: 400, maxRequests: 10, maxRedirects: 9 },
      sandbox: { isolation: "tool" },
      policy: {},
    }),
    base,
  );
  if (outcome.kind === "broken") throw new Error("broken");
  const { settings, problems } = outcome.value;
  expect(settings).toEqual({
    limits: { ...base, resultBytes: 1_000, memoryMb: 512, callTimeoutMs: 60_000, requestsPerCall: 10 },
    isolation: "tool",
    network: { enabled: false, allowHttp: false, requireAllowedHosts: false, requestTimeoutMs: 300_000 },
    agents: [],
    agentLimits: [],
    agentSecrets: [],
    prefix: "",
    repair: true,
  });
  expect(problems.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
    "LIMIT_RANGE warning",
    "LIMIT_RANGE warning",
    "TIMEOUT_RANGE warning",
    "UNKNOWN_KEY warning",
  ]);
});

test.each<[string, string]>([
  ["[]", "INVALID_VALUE"],
  ['{"version": 2}', "FILE_VERSION"],
  ['{"limits": {"memoryMb": "x"}}', "INVALID_VALUE"],
  ['{"x-url": "{{TOKEN}}"}', "TEMPLATE_PLACE"],
  ['{"limits": {}, "limits": {}}', "DUPLICATE_KEY"],
  ['{"prefix": "9 lives"}', "INVALID_VALUE"],
  ['{"repair": "no"}', "INVALID_VALUE"],
  ['{"limits": ', "JSON_SYNTAX"],
])("settings %j are refused with %s", (text, code) => {
  const outcome = parseSettingsFile(text, base);
  expect(outcome.kind === "broken" && outcome.problems.map((problem) => problem.code)).toEqual([code]);
});

test.each([
  ["a list", [{ agentId: "a", limits: { resultCharacters: 5_000 } }, { agentId: "b", limits: { resultCharacters: 10 } }, { agentId: "c" }]],
  [
    "an object with a list",
    { list: [{ id: "a", limits: { resultCharacters: 5_000 } }, { id: "b", limits: { resultCharacters: 10 } }, { id: "c" }] },
  ],
])("agents as %s may have a limit of results each", (_, agents) => {
  const outcome = parseSettingsFile(JSON.stringify({ agents }), base);
  if (outcome.kind === "broken") throw new Error("broken");
  const { settings, problems } = outcome.value;
  expect(settings.agentLimits).toEqual([
    { agent: "a", resultCharacters: 5_000 },
    { agent: "b", resultCharacters: 1_000 },
  ]);
  expect(settings.agents).toEqual(["a", "b", "c"]);
  expect(problems.map(({ code }) => code)).toEqual(["LIMIT_RANGE"]);
});

test("what the person who runs the server raised beyond a range, a workspace may use", () => {
  const raised: Limits = { ...base, memoryMb: 2_048 };
  const outcome = parseSettingsFile(JSON.stringify({ limits: { memoryMb: 1_500 } }), raised);
  expect(outcome.kind === "good" && [outcome.value.settings.limits.memoryMb, outcome.value.problems]).toEqual([1_500, []]);
});

test("toolyard.json knows every limit of the table", () => {
  const outcome = parseSettingsFile(JSON.stringify({ limits: { ...base } }), base);
  expect(outcome.kind === "good" && [outcome.value.settings.limits, outcome.value.problems]).toEqual([base, []]);
  const misspelled = parseSettingsFile('{"limits": {"keptIsolate": 1}}', base);
  expect(misspelled.kind === "good" && misspelled.value.problems[0]?.message).toBe(
    '"keptIsolate" is not a key here; did you mean "keptIsolates"?',
  );
});

test("an agent's names for secrets are read from both shapes, and only such names", () => {
  const read = (agents: unknown): unknown => {
    const outcome = parseSettingsFile(JSON.stringify({ agents }), base);
    return outcome.kind === "good" ? outcome.value.settings.agentSecrets : outcome.problems.map(({ code, message }) => [code, message]);
  };
  const secrets = { API_KEY: "TEAM_KEY", TOKEN: "TOKEN" };
  const expected = [
    ["API_KEY", "TEAM_KEY"],
    ["TOKEN", "TOKEN"],
  ];
  expect(read([{ agentId: "ops", secrets }, { agentId: "dev" }])).toEqual([{ agent: "ops", names: expected }]);
  expect(read({ list: [{ id: "ops", secrets }] })).toEqual([{ agent: "ops", names: expected }]);
  // A value that stands where its name belongs is not repeated.
  expect(read([{ agentId: "ops", secrets: { API_KEY: "sk-live-0123456789" } }])).toEqual([
    ["INVALID_VALUE", '"agents.0.secrets.API_KEY" must be of capital letters, digits and "_", such as API_TOKEN.'],
  ]);
  expect(read([{ agentId: "ops", secrets: { key: "A" } }])).toEqual([
    ["INVALID_VALUE", '"agents.0.secrets.key" must be of capital letters, digits and "_", such as API_TOKEN.'],
  ]);
  const poisoned = parseSettingsFile('{"agents": [{"agentId": "ops", "secrets": {"__proto__": "A"}}]}', base);
  expect(poisoned.kind).toBe("broken");
});
