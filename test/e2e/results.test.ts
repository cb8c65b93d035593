// Long results and images with the installed command: paged through a client, found again after a restart, saved by run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { CLIENT_KINDS, connectClient, type Target } from "../support/mcp-clients.ts";
import { type CliBench, makeBench } from "./cli-process.ts";

const cli = inject("installedCli");
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13];
const TOOLS = ["long", "image"].map((name) => ({ name, description: name, script: `scripts/${name}.js` }));

function workspace(): CliBench {
  const bench = makeBench(cli);
  onTestFinished(() => bench[Symbol.dispose]());
  bench.write({
    "tools.json": { tools: TOOLS },
    "scripts/long.js": 'function main() { return "line 😀\\n".repeat(12_500); }\n',
    "scripts/image.js": `function main() { return g.result.content([g.result.image(new Uint8Array(${JSON.stringify(PNG)}), "image/png")], { n: 1 }); }\n`,
  });
  return bench;
}

function stdio({ folder, home }: CliBench): Target {
  return { kind: "stdio", command: process.execPath, args: [cli, "serve", "-w", folder], env: { TOOLYARD_HOME: home } };
}

test.for(CLIENT_KINDS)("%s: a long result is paged over stdio, the second half by a server started anew", async (kind) => {
  const bench = workspace();
  const whole = "line 😀\n".repeat(12_500);
  const pageOf = (text: string): { readonly page: string; readonly next: number | undefined } => {
    const lineAt = text.lastIndexOf("\n[");
    const next = /begins at offset (\d+)\.\]$|"offset":(\d+)/.exec(text.slice(lineAt));
    return { page: text.slice(0, lineAt), next: next === null ? undefined : Number(next[1] ?? next[2]) };
  };
  let id: string;
  let read: string;
  {
    await using client = await connectClient(kind, stdio(bench));
    const { text } = await client.call("long", {});
    id = /"id":"([^"]+)"/.exec(text)?.[1] ?? "";
    read = pageOf(text).page;
  }
  await using client = await connectClient(kind, stdio(bench));
  for (let offset: number | undefined = read.length; offset !== undefined; ) {
    const { page, next } = pageOf((await client.call("ReadWorkspaceResult", { id, offset })).text);
    read += page;
    offset = next;
  }
  expect(read === whole).toBe(true);
});

test("run says what an image is, gives it as JSON, and writes it to a file once", async () => {
  const bench = workspace();
  expect(await bench.run(["run", "image"])).toMatchObject({ code: 0, stdout: '{"n":1}\n[image: image/png, 12 bytes]\n' });
  const { stdout } = await bench.run(["run", "image", "--json", "--save", "shot.png"]);
  const data = Buffer.from(PNG).toString("base64");
  expect(JSON.parse(stdout)).toEqual({
    text: '{"n":1}',
    value: { n: 1 },
    structured: { n: 1 },
    content: [
      { type: "text", text: '{"n":1}' },
      { type: "image", data, mimeType: "image/png" },
    ],
  });
  expect([...readFileSync(join(bench.folder, "shot.png"))]).toEqual(PNG);
  const again = await bench.run(["run", "image", "--save", "shot.png"]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("it is there already") });
});
