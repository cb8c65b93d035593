import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { nodeDebugProblem, nodeOptionProblem } from "./node-options.ts";

test.each([
  ["--inspect", "--inspect"],
  ["--inspect=0.0.0.0:9229", "--inspect"],
  ["--inspect-brk", "--inspect-brk"],
  ["--inspect_wait=1", "--inspect-wait"],
  ["--inspect-publish-uid=http", "--inspect-publish-uid"],
  ["--tls-keylog=/tmp/keys", "--tls-keylog"],
  ["--tls_keylog=/tmp/keys", "--tls-keylog"],
  ["--trace-tls", "--trace-tls"],
  ["--tls-min-v1.0", "--tls-min-v1.0"],
  ["--tls-min-v1.1=true", "--tls-min-v1.1"],
  ["--tls-cipher-list=eNULL", "--tls-cipher-list"],
  ["--insecure-http-parser", "--insecure-http-parser"],
  ["--heapsnapshot-signal=SIGUSR2", "--heapsnapshot-signal"],
  ["--heapsnapshot-near-heap-limit=1", "--heapsnapshot-near-heap-limit"],
  ["--report-on-signal", "--report-on-signal"],
  ["--report_on_fatalerror", "--report-on-fatalerror"],
  ["--report-uncaught-exception", "--report-uncaught-exception"],
  ["--abort-on-uncaught-exception", "--abort-on-uncaught-exception"],
  ["--trace-event-categories=node.http", "--trace-event-categories"],
  ["--trace-events-enabled", "--trace-events-enabled"],
  ["--experimental-config-file=node.config.json", "--experimental-config-file"],
  ["--experimental-default-config-file", "--experimental-default-config-file"],
])("%s is refused, on the command line and in NODE_OPTIONS", (option, name) => {
  const start = `toolyard does not start with Node's option ${name}: it `;
  const byCommand = nodeOptionProblem([option], "");
  const byVariable = nodeOptionProblem([], `--max-old-space-size=4096 ${option} --no-warnings`);
  expect(byCommand).toMatch(/ Take it out of the command that starts it\.$/);
  expect(byVariable).toMatch(/ Take it out of NODE_OPTIONS\.$/);
  for (const problem of [byCommand, byVariable]) {
    expect(problem?.startsWith(start)).toBe(true);
    expect(problem).not.toContain("\n");
    expect(problem).not.toContain("/tmp/keys");
  }
});

test.each([
  '--ins"pect"',
  '"--inspect=127.0.0.1:0"',
  '"--tls\\-min-v1.0"',
  '--title="a b" --tls-keylog=k',
  '--title="a \\" b" --tls-keylog=k',
  "  --trace-tls",
])("NODE_OPTIONS is split as Node splits it: %s is seen", (text) => {
  expect(nodeOptionProblem([], text)).toContain("does not start with Node's option");
});

test.each([
  "",
  "--max-old-space-size=4096 --no-warnings",
  "--use-system-ca",
  "--cpu-prof --heap-prof --diagnostic-dir=/tmp",
  "--trace-warnings --trace-deprecation --report-compact",
  "--tls-min-v1.3",
  "--title=x--inspect",
  "--require=./inspect.js",
])("with %j it starts", (text) => {
  expect(nodeOptionProblem([], text)).toBeUndefined();
  expect(nodeOptionProblem(text.split(" "), "")).toBeUndefined();
});

test("what only stands inside of another option's value is no option", () => {
  expect(nodeOptionProblem([], '--title="a --inspect"')).toBeUndefined();
});

test.each(["NODE_DEBUG", "NODE_DEBUG_NATIVE"])("%s is refused with any value, and its value is not repeated", (name) => {
  const unset = { NODE_DEBUG: undefined, NODE_DEBUG_NATIVE: undefined };
  for (const value of ["undici", "fetch", "*", "http,tls", "x"]) {
    expect(nodeDebugProblem({ ...unset, [name]: value })).toBe(
      `toolyard does not start with Node's variable ${name}: it writes requests, with the keys in their URLs, to the log. Take it out of the environment.`,
    );
  }
  expect([nodeDebugProblem(unset), nodeDebugProblem({ ...unset, [name]: "" })]).toEqual([undefined, undefined]);
});

test("the file holds no syntax younger than Node 12, as it runs before the platform is known", () => {
  const source = readFileSync(new URL("./node-options.ts", import.meta.url), "utf8");
  expect(source).not.toMatch(/\?\?|\?\.|^\s*await |&&=|\|\|=|replaceAll|\.at\(|static \{/m);
});
