import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { makeHome, openTestRuntime, storeSecret, type TestRuntime } from "../support/runtime.ts";
import { type FixtureApis, readFixtures, serveFixtures } from "./fixture-apis.ts";

const SECRETS = {
  GITHUB_TOKEN: "ghp_value-of-the-test-0001",
  API_TOKEN: "api-token-of-the-test-0002",
  API_KEY: "api-key-of-the-test-0003",
  PARTNER_ID: "partner-id-of-the-test-0004",
  PARTNER_SECRET: "partner-secret-of-the-test-0005",
  PARTNER_KEY: "partner-key-of-the-test-0006",
};

/** Where each may go; default api.example.com. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  GITHUB_TOKEN: ["api.github.com"],
  PARTNER_ID: ["login.example.com", "partner.example.com"],
  PARTNER_SECRET: ["login.example.com", "partner.example.com"],
  PARTNER_KEY: ["partner.example.com"],
};

const CSV = 'name;amount;note\nAnn;10;"a; quoted\nnote"\nBob;2.5;\nAnn;-4;x\n';

test("text-stats counts words, sentences, paragraphs, characters and the most frequent words", async () => {
  const { runtime } = await openExample("workspace");
  const result = await value(runtime, "text-stats", { text: "It's a test. A café, isn't it?\n\n“Yes!” 👍", topWords: 1 });
  expect(result).toEqual({ words: 8, sentences: 3, paragraphs: 2, characters: 40, readingMinutes: 0, topWords: [{ word: "a", count: 2 }] });
});

test("csv-query filters, sums, groups, and guesses the separator; quoted fields keep separators and line breaks", async () => {
  const { runtime } = await openExample("workspace");
  expect(
    await value(runtime, "csv-query", {
      csv: CSV,
      where: [{ column: "amount", is: ">", value: 0 }],
      columns: ["name", "note"],
      sum: ["amount"],
    }),
  ).toEqual({
    rows: 3,
    matching: 2,
    sums: { amount: 12.5 },
    result: [
      { name: "Ann", note: "a; quoted\nnote" },
      { name: "Bob", note: "" },
    ],
  });
  expect(await value(runtime, "csv-query", { csv: CSV, groupBy: "name", sum: ["amount"] })).toEqual({
    rows: 3,
    matching: 3,
    sums: { amount: 8.5 },
    groups: [
      { value: "Ann", rows: 2, sums: { amount: 6 } },
      { value: "Bob", rows: 1, sums: { amount: 2.5 } },
    ],
  });
  const unknown = await runtime.run("csv-query", { csv: CSV, sum: ["amuont"] });
  expect(unknown).toMatchObject({ kind: "error", code: "SCRIPT_ERROR" });
});

test("convert-units converts by its table, in TypeScript and through its imports, and fails in words", async () => {
  const { runtime } = await openExample("workspace");
  expect(await value(runtime, "convert-units", { amount: 26.2, from: "mi", to: "km" })).toEqual({ amount: 42.1648128, unit: "km" });
  expect(await value(runtime, "convert-units", { amount: 98.6, from: "F", to: "C" })).toEqual({ amount: 37, unit: "C" });
  expect(await runtime.run("convert-units", { amount: 1, from: "kg", to: "C" })).toMatchObject({
    code: "SCRIPT_ERROR",
    message: 'Tool "convert-units" failed at lib/convert.ts:10:32: TypeError: A mass is no temperature.',
  });
  expect(await runtime.run("convert-units", { amount: 1, from: "yd", to: "m" })).toMatchObject({ code: "SCRIPT_ERROR" });
});

test("weather finds the place, then its forecast", async () => {
  const { runtime, apis } = await openExample("workspace");
  expect(await value(runtime, "weather", { place: "Lisbon", days: 2 })).toEqual({
    place: "Lisbon, Lisbon District, Portugal",
    timezone: "Europe/Lisbon",
    now: { sky: "partly cloudy", temperatureC: 16.2, windKmh: 11.5 },
    days: [
      { date: "2026-11-30", sky: "overcast", maxC: 17.1, minC: 11.9, precipitationMm: 0, maxWindKmh: 18.4 },
      { date: "2026-12-01", sky: "rain", maxC: 15.4, minC: 10.2, precipitationMm: 6.3, maxWindKmh: 31.7 },
    ],
  });
  expect(apis.misses).toEqual([]);
});

test("hn-top gives the stories of a list in its order, without removed ones, and reports progress", async () => {
  const { runtime, apis } = await openExample("workspace");
  const stories = await value(runtime, "hn-top", { count: 3 });
  expect(stories).toEqual([
    {
      title: "My YC app: Dropbox - Throw away your USB drive",
      url: "http://www.getdropbox.com/u/2/screencast.html",
      points: 104,
      comments: 71,
      by: "dhouston",
      at: "2007-04-04T19:16:40.000Z",
      discussion: "https://news.ycombinator.com/item?id=8863",
    },
    {
      title: "Ask HN: The Arc Effect",
      url: "https://news.ycombinator.com/item?id=121003",
      points: 25,
      comments: 16,
      by: "tel",
      at: "2008-02-22T02:33:40.000Z",
      discussion: "https://news.ycombinator.com/item?id=121003",
    },
  ]);
  expect(apis.misses).toEqual([]);
  expect(runtime.progress.at(-1)).toEqual({ done: 3, total: 3 });
});

test("github-issues sends the token as a header, leaves pull requests out, and never shows the token", async () => {
  const { runtime, apis, storeAll } = await openExample("workspace");
  expect(await runtime.run("github-issues", { repository: "octocat/Hello-World" })).toMatchObject({
    kind: "error",
    code: "SECRET_MISSING",
  });
  expect(apis.served).toEqual([]);
  await storeAll();
  expect(await value(runtime, "github-issues", { repository: "octocat/Hello-World", labels: ["bug"] })).toEqual([
    {
      number: 1347,
      title: "Found a bug",
      state: "open",
      author: "octocat",
      labels: ["bug"],
      comments: 3,
      updated: "2011-04-22T13:33:48Z",
      url: "https://github.com/octocat/Hello-World/issues/1347",
    },
  ]);
  expect(apis.misses).toEqual([]);
  expect(runtime.logged.join("\n")).not.toContain(SECRETS.GITHUB_TOKEN);
});

test("fetch-api-data sends both of its secrets, each in its header", async () => {
  const { runtime, apis, storeAll } = await openExample("workspace");
  await storeAll();
  expect(await value(runtime, "fetch-api-data", {})).toEqual({
    items: [
      { id: 1, name: "first" },
      { id: 2, name: "second" },
    ],
  });
  expect(apis.misses).toEqual([]);
});

test("fetch-partner-data gets a token from the partner's issuer, and sends it with the key in the URL", async () => {
  const { runtime, apis, storeAll } = await openExample("workspace");
  await storeAll();
  expect(await value(runtime, "fetch-partner-data", {})).toEqual({ items: [{ id: 3, name: "third" }] });
  expect([apis.misses, apis.served]).toEqual([
    [],
    ["POST login.example.com/oauth/token", `GET partner.example.com/v1/items?key=${SECRETS.PARTNER_KEY}`],
  ]);
});

test("the two tools of a new workspace work", async () => {
  const { runtime } = await openExample("starter");
  expect(await value(runtime, "word-count", { text: "Hello there." })).toEqual({ words: 2, characters: 12 });
  expect(await value(runtime, "weather-now", { latitude: 38.71667, longitude: -9.13333 })).toEqual({
    time: "2026-11-30T12:00",
    temperatureC: 16.2,
    windKmh: 11.5,
  });
});

test("no example has a finding, and each fixture names the page it was written from", async () => {
  for (const name of ["workspace", "starter"] as const) expect((await openExample(name)).runtime.engine.problems()).toEqual([]);
  for (const [file, { source }] of readFixtures()) expect(source, file).toMatch(/^https:\/\//);
});

interface Example {
  readonly runtime: TestRuntime;
  readonly apis: FixtureApis;
  storeAll(): Promise<void>;
}

/** A copy of an example, with every public host led to the fixtures. */
async function openExample(name: "workspace" | "starter"): Promise<Example> {
  const root = mkdtempSync(join(tmpdir(), "example-"));
  cpSync(fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)), root, {
    recursive: true,
    filter: (file) => !file.endsWith(".toolyard"),
  });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const apis = await serveFixtures(SECRETS);
  onTestFinished(() => apis[Symbol.asyncDispose]());
  const home = makeHome();
  const runtime = await openTestRuntime(root, home, { network: { lookup: apis.lookup, dial: apis.dial } });
  const storeAll = async (): Promise<void> => {
    for (const [secret, text] of Object.entries(SECRETS)) {
      await storeSecret({ root, home }, secret, text, { hosts: HOSTS[secret] ?? ["api.example.com"] });
    }
  };
  return { runtime, apis, storeAll };
}

async function value(runtime: TestRuntime, name: string, args: object): Promise<unknown> {
  const result = await runtime.run(name, args);
  if (result.kind === "error") throw new Error(`${result.code}: ${result.message}`);
  return result.value;
}
