// A stranger's workspace in a person's terminal: what it says is shown, and steers nothing.
import { once } from "node:events";
import { expect, inject, test } from "vitest";
import { type CliBench, finished, makeBench } from "./cli-process.ts";
import { UNSAFE } from "./unsafe-characters.ts";

const cli = inject("installedCli");

/** Clears the screen, rings, sets a title, colours by a C1 sequence, turns the direction, returns to the line's start. */
const HOSTILE = "x\u001b[2J\u0007\u001b]0;t\u0007\u009b31m\u202ey\u2066\u200f\rz\u2028";
/** The same without the marks for which the loader sets an entry aside. */
const STEERING = HOSTILE.replaceAll(/[\u202e\u2066\u200f]/g, "");
/** How any text of it is shown, in part. */
const SHOWN = String.raw`\u001b[2J`;

const TOOLS = {
  tools: [
    {
      name: "talks",
      description: STEERING,
      title: STEERING,
      script: "talks.js",
      parameters: {
        type: "object",
        properties: { [STEERING]: { type: "string", description: STEERING, default: STEERING, enum: [STEERING] } },
      },
      output: { type: "object", description: STEERING },
    },
    { name: "hides", description: HOSTILE, script: "talks.js" },
    { name: "fails", description: "Fails", script: "fails.js" },
    { name: "broken", description: "Broken", script: "broken.js", [HOSTILE]: HOSTILE },
    { name: "lights", description: "Switches", script: "talks.js", allowedHosts: ["192.168.1.20:8080"] },
    { name: HOSTILE, description: "No name", script: HOSTILE, allowedHosts: [HOSTILE] },
  ],
};

function hostileBench(): CliBench {
  const bench = makeBench(cli);
  const text = JSON.stringify(HOSTILE);
  bench.write({
    "tools.json": TOOLS,
    "talks.js": `function main() { console.log(${text}); g.run.progress(1, 2, ${text}); return { said: ${text} }; }\n`,
    "fails.js": `function main() { throw new Error(${text}); }\n`,
    "broken.js": `function main( { /* ${HOSTILE.replace("\u2028", "")} */\n`,
  });
  return bench;
}

test.each([
  ["list", ["list"]],
  ["check", ["check"]],
  ["describe talks", ["describe", "talks"]],
  ["run fails", ["run", "fails"]],
  ["run talks (hostile)", ["run", "talks", HOSTILE]],
  ["run (hostile)", ["run", HOSTILE]],
  ["init (hostile)/x", ["init", `${HOSTILE}/x`]],
  ["trust", ["trust"]],
  ["list --json", ["list", "--json"]],
  ["check --json", ["check", "--json"]],
  ["describe talks --json", ["describe", "talks", "--json"]],
  ["run talks --json", ["run", "talks", "--json"]],
  ["run fails --json", ["run", "fails", "--json"]],
])("%s shows hostile text without anything a terminal acts on", async (_name, args) => {
  using bench = hostileBench();
  const run = await bench.run(args);
  expect(run.stdout + run.stderr).not.toMatch(UNSAFE);
  if (args[0] !== "trust") expect(run.stdout + run.stderr).toContain(SHOWN);
});

test("--json says exactly what the workspace says, also where it is written as escapes", async () => {
  using bench = hostileBench();
  expect(JSON.parse((await bench.run(["run", "talks", "--json"])).stdout).value).toEqual({ said: HOSTILE });
});

test("what scripts log on the way is shown without anything a terminal acts on, by run and in the log of a server", async () => {
  using bench = hostileBench();
  const { stderr } = await bench.run(["run", "talks"], { env: { TOOLYARD_LOG: "debug" } });
  expect(stderr).toContain("progress: 1/2 ");
  expect(stderr).toContain('"event":"script.log"');
  expect(stderr).not.toMatch(UNSAFE);
  const child = bench.start(["serve"], { env: { TOOLYARD_LOG: "debug" } });
  const ended = finished(child);
  await once(child.stderr, "data");
  child.stdin.end();
  expect((await ended).stderr).not.toMatch(UNSAFE);
});
