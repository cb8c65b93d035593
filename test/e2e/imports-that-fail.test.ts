// Imports on which the look-up of files itself fails: the server lives, its other tools answer, and the tool says what it is.
import { expect, inject, test } from "vitest";
import { INITIALIZE, legacyMessage, notification } from "../support/mcp-http.ts";
import { HAS_PROC } from "../support/processes.ts";
import { makeBench } from "./cli-process.ts";
import { startPiped, until } from "./piped-server.ts";

const cli = inject("installedCli");

/** What the second statement of a script imports, by the tool's name. */
const IMPORTS: Readonly<Record<string, string>> = {
  // The library calls itself for each folder of a path.
  steps: `./${"a/".repeat(700)}b`,
  letters: `./${"a".repeat(5_000)}`,
  nothing: "nothing",
  nested: "nested",
};

test.skipIf(!HAS_PROC)(
  "no import ends the server: each is the error of its one tool, with its place, and a neighbour answers",
  async () => {
    using bench = makeBench(cli);
    const names = Object.keys(IMPORTS);
    const scripts = names.map((name) => [
      `${name}.ts`,
      `export default () => found;\nimport found from ${JSON.stringify(IMPORTS[name])};\n`,
    ]);
    bench.write({
      "tools.json": {
        tools: [...names, "neighbour"].map((name) => ({ name, description: "Imports", script: `${name}.ts` })),
      },
      ...Object.fromEntries(scripts),
      "neighbour.ts": 'import { here } from "./here.ts";\nexport default (): string => here;\n',
      "here.ts": 'export const here = "is here";\n',
      "node_modules/nothing/package.json": "null",
      "node_modules/nothing/index.js": "",
      "node_modules/nested/package.json": `{"exports":${"[".repeat(20_000)}"./index.js"${"]".repeat(20_000)}}`,
      "node_modules/nested/index.js": "",
    });
    const server = startPiped(cli, bench);
    const calls = [...names, "neighbour"].map((name, id) => legacyMessage("tools/call", { name, arguments: {} }, id + 1));
    server.send(legacyMessage("initialize", INITIALIZE, 0), notification("notifications/initialized"), ...calls);
    const answers = (): readonly { readonly id: number; readonly result: unknown }[] =>
      server.lines.map((line) => JSON.parse(line)).filter(({ id, method }) => method === undefined && id > 0);
    await until(() => answers().length === calls.length, 30_000);
    const results = answers()
      .toSorted((a, b) => a.id - b.id)
      .map(({ result }) => JSON.stringify(result));
    expect(results.pop()).toContain("is here");
    expect(results.map((text, index) => text.includes(`${names[index]}.ts:2:19`))).toEqual(names.map(() => true));
    expect(results.filter((text) => !text.includes('"isError":true'))).toEqual([]);
  },
);
