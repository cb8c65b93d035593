// Node's option --insecure-http-parser, with which toolyard's command does not start, changes nothing where the server is started in another way.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** Sends a request with two lengths, a way to smuggle a second one, to a plain server and to ours. */
const PROGRAM = `
  import { createServer } from "node:http";
  const { modernHeaders, modernMessage, startTestHttp, TEST_TOKEN } = await import(${url("../support/mcp-http.ts")});
  const { testEngine } = await import(${url("../support/mcp-engine.ts")});
  const { rawExchange, rawRequest } = await import(${url("../support/raw-http.ts")});
  const plain = createServer((request, response) => response.end("taken"));
  await new Promise((resolve) => plain.listen(0, "127.0.0.1", resolve));
  const server = await startTestHttp(testEngine([]));
  const body = JSON.stringify(modernMessage("tools/list"));
  const smuggled = rawRequest("POST /mcp HTTP/1.1", [
    ["Host", "localhost"], ["Authorization", "Bearer " + TEST_TOKEN], ["Content-Type", "application/json"],
    ["Accept", "application/json, text/event-stream"], ...Object.entries(modernHeaders("tools/list")),
    ["Content-Length", "5"], ["Transfer-Encoding", "chunked"],
  ], body.length.toString(16) + "\\r\\n" + body + "\\r\\n0\\r\\n\\r\\n");
  const statuses = [];
  for (const port of [plain.address().port, server.port]) statuses.push((await rawExchange(port, smuggled)).status);
  console.log(JSON.stringify(statuses));
  plain.closeAllConnections();
  plain.close();
  await server.close(0);
`;

test("a request with two lengths is taken by a plain server under --insecure-http-parser, and refused by ours", async () => {
  const args = ["--insecure-http-parser", "--input-type=module", "-e", PROGRAM];
  const { stdout } = await run(process.execPath, args, { cwd: fileURLToPath(new URL("../..", import.meta.url)) });
  expect(JSON.parse(stdout)).toEqual([200, 400]);
});
