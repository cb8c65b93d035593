// Images with the installed command: shown and saved by run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { type CliBench, makeBench } from "./cli-process.ts";

const cli = inject("installedCli");
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13];

function workspace(): CliBench {
  const bench = makeBench(cli);
  onTestFinished(() => bench[Symbol.dispose]());
  bench.write({
    "tools.json": { tools: [{ name: "image", description: "image", script: "scripts/image.js" }] },
    "scripts/image.js": `function main() { return g.result.content([g.result.image(new Uint8Array(${JSON.stringify(PNG)}), "image/png")], { n: 1 }); }\n`,
  });
  return bench;
}

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
