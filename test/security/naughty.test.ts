// Strings that have broken programs, in every place that takes a string: each arrives as it was, or is refused in words.
import { expect, test } from "vitest";
import { ToolError } from "../../src/core/errors.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { Secret } from "../../src/core/secret.ts";
import { wellFormed } from "../../src/core/text.ts";
import { openTrust } from "../../src/policy/trust-store.ts";
import { parseSecretName, parseSecretValue } from "../../src/secrets/secret-value.ts";
import { findHiddenCharacters } from "../../src/workspace/hidden-characters.ts";
import { scriptPathFault } from "../../src/workspace/script-path.ts";
import { workspaceIdentity } from "../../src/workspace/workspace-identity.ts";
import { makeHome, openTestRuntime } from "../support/runtime.ts";
import { makeFolder, openWorkspace, PLAIN_SCRIPT } from "../support/workspace-folder.ts";
import { serve } from "./egress-support.ts";
import { NAUGHTY_STRINGS } from "./naughty-strings.ts";

/** Bytes of a header value (RFC 9110, 5.5): visible ASCII, blank, tab, and what is above ASCII in Latin-1. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

test("there are enough of them", () => {
  expect(NAUGHTY_STRINGS.length).toBeGreaterThan(700);
});

test("as an argument, and as the name of one, each comes back as it was, half pairs replaced", async () => {
  const root = makeFolder({
    "tools.json": { tools: [{ name: "same", description: "d", script: "scripts/a.js" }] },
    "scripts/a.js": "async function main() { return [g.tool.args.list, Object.keys(g.tool.args.keys)] }",
  });
  const runtime = await openTestRuntime(root, makeHome());
  const names = [...new Set(NAUGHTY_STRINGS.map(wellFormed))].filter((name) => name !== "__proto__");
  const keys = Object.fromEntries(names.map((name) => [name, 1]));
  const result = await runtime.run("same", { list: NAUGHTY_STRINGS, keys });
  if (result.kind !== "ok") throw new Error(result.message);
  expect(result.value).toEqual([NAUGHTY_STRINGS.map(wellFormed), Object.keys(keys)]);
});

test("as a description each is shown as it is, or its tool is set aside for a reason that does not repeat it", async () => {
  const tools = NAUGHTY_STRINGS.map((description, index) => ({ name: `t${index}`, description, script: "scripts/a.js" }));
  const workspace = await openWorkspace(makeFolder({ "tools.json": { tools }, "scripts/a.js": PLAIN_SCRIPT }), { watch: false });
  const { tools: good, broken } = workspace.current();
  const descriptions = new Map(good.map(({ name, description }) => [name, description]));
  const reasons = new Map(broken.map(({ name, problem }) => [name, problem.code]));
  const expected = NAUGHTY_STRINGS.map((text, index) => {
    const shown = wellFormed(text);
    const name = `t${index}`;
    if (findHiddenCharacters(shown).refused.length > 0) return [name, undefined, "HIDDEN_CHARACTERS"];
    if (shown === "") return [name, undefined, "INVALID_VALUE"];
    return [name, shown, undefined];
  });
  expect(NAUGHTY_STRINGS.map((_, index) => [`t${index}`, descriptions.get(`t${index}`), reasons.get(`t${index}`)])).toEqual(expected);
});

test("as the path of a script none leads anywhere but into the folder, where no such file is", async () => {
  const tools = NAUGHTY_STRINGS.flatMap((text, index) => [
    { name: `raw${index}`, description: "d", script: text },
    { name: `name${index}`, description: "d", script: `scripts/${text}.js` },
  ]);
  const limits = { ...defaultLimits(), tools: 5_000 };
  const workspace = await openWorkspace(makeFolder({ "tools.json": { tools }, "scripts/other.js": PLAIN_SCRIPT }), {
    watch: false,
    limits,
  });
  const { tools: good, broken } = workspace.current();
  expect([good.length, broken.length]).toEqual([0, tools.length]);
  const codes = new Set(broken.map(({ problem }) => problem.code));
  expect([...codes].sort()).toEqual(["FILE_MISSING", "FILE_UNREADABLE", "INVALID_VALUE", "PATH_OUTSIDE"]);
  // What is refused by its text was not looked for at all.
  const lookedFor = new Set(broken.filter(({ problem }) => problem.code.startsWith("FILE_")).map(({ name }) => name));
  expect(tools.filter(({ name, script }) => lookedFor.has(name) && scriptPathFault(wellFormed(script)) !== undefined)).toEqual([]);
});

test("as the value of a secret each is one that a header can carry, or refused without being repeated", () => {
  for (const text of NAUGHTY_STRINGS) {
    const kept = text.replace(/\r?\n$/, "");
    const isFit = kept !== "" && HEADER_VALUE.test(kept) && !/^\s|\s$|^\x85|\x85$/.test(kept);
    try {
      const value = parseSecretValue("NAME", new Secret(text), { allowShort: true });
      expect([text, value.reveal(), isFit]).toEqual([text, kept, true]);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      expect([text, error.code, isFit]).toEqual([text, "INVALID_REQUEST", false]);
      if (kept.length > 3) expect(error.message).not.toContain(kept);
    }
  }
});

test("as the name of a secret none is taken but what is one", () => {
  const taken = NAUGHTY_STRINGS.filter((text) => {
    try {
      parseSecretName(text);
      return true;
    } catch (error) {
      if (error instanceof ToolError && error.code === "INVALID_REQUEST") return false;
      throw error;
    }
  });
  expect(taken.every((text) => /^[A-Z][A-Z0-9_]{0,63}$/.test(text))).toBe(true);
  expect(taken).toContain("CON");
});

test("in a query each arrives as it was; in a header too, or the request is refused before anything is sent", async () => {
  const seen: { readonly query: string | null; readonly header: string | undefined; readonly names: number }[] = [];
  const api = await serve((request, response) => {
    const header = request.headers["x-naughty"];
    seen.push({
      query: new URL(request.url ?? "", "http://localhost").searchParams.get("q"),
      header: typeof header === "string" ? header : undefined,
      names: request.rawHeaders.filter((_name, index) => index % 2 === 0).length,
    });
    response.end("{}");
  });
  const root = makeFolder({
    "tools.json": {
      tools: [{ name: "send", description: "d", script: "scripts/a.js", allowedHosts: [`127.0.0.1:${api.port}`], timeout: 120 }],
    },
    "scripts/a.js": `async function main() {
      const codes = [];
      for (const text of g.tool.args.list) {
        const url = "http://127.0.0.1:${api.port}/";
        const both = g.http.makeHttpRequest({ url, query: { q: text }, headers: { "X-Naughty": text } });
        const outcome = await both.then(() => "sent", (error) => error.code);
        codes.push(outcome);
        if (outcome !== "sent") await g.http.makeHttpRequest({ url, query: { q: text } });
      }
      return codes;
    }`,
  });
  const home = makeHome();
  const runtime = await openTestRuntime(root, home, { limits: { ...defaultLimits(), requestsPerCall: 5_000 } });
  await openTrust(home, workspaceIdentity(root)).add([{ kind: "private-host", tool: "send", value: `127.0.0.1:${api.port}` }]);
  // Each character stands in the list alone and between others; between others is enough here.
  const list = NAUGHTY_STRINGS.filter((text) => [...text].length !== 1);
  const result = await runtime.run("send", { list });
  if (result.kind !== "ok") throw new Error(result.message);
  expect(seen.map(({ query }) => query)).toEqual(list.map(wellFormed));
  const isFit = (text: string): boolean => HEADER_VALUE.test(wellFormed(text));
  expect(result.value).toEqual(list.map((text) => (isFit(text) ? "sent" : "INVALID_REQUEST")));
  const withHeader = seen.filter((_request, index) => isFit(list[index] ?? ""));
  // Blanks around a value are no part of it (RFC 9110, 5.5).
  expect(withHeader.map(({ header }) => header?.trim())).toEqual(list.filter(isFit).map((text) => text.trim()));
  // No text has made a header of its own.
  expect(new Set(withHeader.map(({ names }) => names)).size).toBe(1);
});
