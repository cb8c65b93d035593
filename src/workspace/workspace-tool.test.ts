import { expect, test } from "vitest";
import { codes, entry, makeFolder, makeWorkspaceFolder, openWorkspace, PLAIN_SCRIPT } from "../../test/support/workspace-folder.ts";
import { defaultLimits } from "../core/limits.ts";

test.each<[string, number | undefined, string, number, readonly string[]]>([
  ["neither", undefined, "", 30_000, []],
  ["tools.json", 12, "", 12_000, []],
  ["the script in seconds", undefined, "// @timeout 40", 40_000, []],
  ["the script with s", undefined, "// @timeout 40s", 40_000, []],
  ["the script with ms", undefined, "// @timeout 500ms", 500, []],
  ["the script with m", undefined, "// @timeout 2m", 120_000, []],
  ["both, the script less", 50, "// @timeout 40", 40_000, []],
  ["both, tools.json less", 0.25, "// @timeout 40", 250, []],
  ["tools.json over the maximum", 301, "", 300_000, ["TIMEOUT_RANGE tools.json:7:18"]],
  ["the script over the maximum", undefined, "// @timeout 6m", 300_000, ["TIMEOUT_RANGE scripts/a.js:1:4"]],
  ["both over the maximum", 301, "// @timeout 6m", 300_000, ["TIMEOUT_RANGE tools.json:7:18", "TIMEOUT_RANGE scripts/a.js:1:4"]],
  ["an unreadable comment", 12, "// @timeout soon", 12_000, ["INVALID_VALUE scripts/a.js:1:4"]],
])("the time limit set by %s is the smaller of both, at most the maximum", async (_name, timeout, comment, timeoutMs, problems) => {
  const root = makeWorkspaceFolder([entry("a", { timeout })], { "scripts/a.js": `${comment}\n${PLAIN_SCRIPT}` });
  const workspace = await openWorkspace(root, { watch: false });
  const [tool] = workspace.current().tools;
  expect([tool?.timeoutMs, tool?.limits.callTimeoutMs, codes(workspace.current().problems)]).toEqual([timeoutMs, timeoutMs, problems]);
  expect(workspace.current().problems.every(({ severity }) => severity === "warning")).toBe(true);
});

test("the time limit says where it comes from and how far it goes", async () => {
  const root = makeWorkspaceFolder([entry("a", { timeout: 12 }), entry("b", { script: "scripts/b.js" }), entry("c")], {
    "scripts/b.js": `\n// @timeout 5\n${PLAIN_SCRIPT}`,
  });
  const workspace = await openWorkspace(root, { watch: false });
  expect(workspace.current().tools.map(({ timeoutHint }) => timeoutHint)).toEqual([
    '"timeout" in tools.json:7; at most 300',
    "@timeout in scripts/b.js:2; at most 300",
    'the default; "timeout" in tools.json sets it, at most 300',
  ]);
});

test("limits of a tool lie over those of the settings, and a body never takes over a quarter of the memory", async () => {
  const root = makeWorkspaceFolder([entry("a", { limits: { memoryMb: 128, resultBytes: 9_000, requestsPerCall: 2 } })], {
    "toolyard.json": { limits: { memoryMb: 32, resultBytes: 5_000 } },
  });
  const server = { ...defaultLimits(), responseBodyBytes: 64 * 1_024 * 1_024 };
  const limits = (await openWorkspace(root, { watch: false, limits: server })).current().tools[0]?.limits;
  expect([limits?.memoryMb, limits?.resultBytes, limits?.requestsPerCall, limits?.responseBodyBytes]).toEqual([
    128,
    5_000,
    2,
    32 * 1_024 * 1_024,
  ]);
});

test("a script over its limit is set aside", async () => {
  const root = makeWorkspaceFolder([entry("a")], { "toolyard.json": { limits: { scriptBytes: 20 } } });
  const workspace = await openWorkspace(root, { watch: false });
  expect(workspace.current().broken.map(({ problem }) => [problem.code, problem.message])).toEqual([
    ["FILE_TOO_LARGE", "scripts/a.js has 38 bytes; at most 20 are read."],
  ]);
});

test("query and auth of a tool replace those of the defaults, and a change of either makes it another tool", async () => {
  const oauth2 = { tokenUrl: "https://login.example.com/", clientId: "me", clientSecret: "{{CLIENT_SECRET}}" };
  const made = async (defaults: object, more: Readonly<Record<string, unknown>>) => {
    const root = makeFolder({ "tools.json": { defaults, tools: [entry("a", more)] }, "scripts/a.js": PLAIN_SCRIPT });
    const [tool] = (await openWorkspace(root, { watch: false })).current().tools;
    return { key: tool?.key, query: tool?.query.map(({ name, value }) => `${name}=${value}`), auth: tool?.auth?.tokenUrl };
  };
  const plain = await made({}, {});
  const shared = await made({ query: { key: "{{A}}" }, auth: { oauth2 } }, {});
  const own = await made({ query: { key: "{{A}}" }, auth: { oauth2 } }, { query: { v: "3" } });
  const scoped = await made({ auth: { oauth2: { ...oauth2, scope: "read" } } }, { query: { key: "{{A}}" } });
  expect([plain, shared, own, scoped].map(({ query, auth }) => [query, auth])).toEqual([
    [[], undefined],
    [["key={{A}}"], oauth2.tokenUrl],
    [["v=3"], oauth2.tokenUrl],
    [["key={{A}}"], oauth2.tokenUrl],
  ]);
  expect(new Set([plain, shared, own, scoped].map(({ key }) => key)).size).toBe(4);
});
