// fetch of a script through the engine to a real server on loopback, in both isolation modes.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { makeHome, openTestRuntime, storeSecret } from "../../test/support/runtime.ts";
import { makeFolder } from "../../test/support/workspace-folder.ts";

interface Echo {
  readonly address: string;
  /** Settles when the client gave up a request for "/never". */
  readonly givenUp: Promise<void>;
}

/** Tells what it was sent; never answers "/never", and sends "/moved" on. */
async function startEcho(): Promise<Echo> {
  const givenUp = Promise.withResolvers<void>();
  const server = createServer((request: IncomingMessage, response) => {
    if (request.url === "/never") {
      response.on("close", () => givenUp.resolve());
      return;
    }
    if (request.url === "/moved") {
      response.writeHead(302, { location: "/there" }).end();
      return;
    }
    void buffer(request).then((body) => {
      const { "content-type": type, "x-a": own } = request.headers;
      response.writeHead(200, { "content-type": "application/json", "set-cookie": ["a=1", "b=2"] });
      response.end(JSON.stringify({ method: request.method, url: request.url, type, own, body: body.toString() }));
    });
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { address: `http://127.0.0.1:${address.port}`, givenUp: givenUp.promise };
}

const SCRIPT = `async function main({ at }) {
  const form = new FormData();
  form.append("f", new File(["bytes"], "n.txt", { type: "t/u" }));
  const asked = [
    new Request(at + "/a?b=c", { method: "PUT", body: "é", headers: new Headers({ "X-A": "1" }) }),
    [at + "/p", { method: "POST", body: new URLSearchParams({ q: "a b" }) }],
    [new URL("/moved", at)],
    [at + "/f", { method: "POST", body: form }],
  ];
  const seen = [];
  for (const one of asked) {
    const response = Array.isArray(one) ? await fetch(...one) : await fetch(one);
    const { body, type, ...rest } = await response.clone().json();
    const boundary = /boundary=(.*)/.exec(type ?? "")?.[1];
    seen.push({ ...rest, type: type?.split(";")[0], body: boundary ? body.replaceAll(boundary, "B") : body, redirected: response.redirected });
    if (one === asked[0]) seen.push(response.headers.getSetCookie(), (await response.bytes()).length > 0);
  }
  const moved = await fetch(at + "/moved", { redirect: "manual" });
  seen.push([moved.status, moved.headers.get("location")]);
  seen.push(await fetch(at + "/moved", { redirect: "error" }).catch((error) => [error instanceof TypeError, typeof error.code]));
  seen.push(await fetch(at + "/never", { signal: AbortSignal.timeout(30) }).catch((error) => error.name));
  return seen;
}`;

test("a script's fetch sends what the web's would, reads the answer, and gives up a request that it aborts", async () => {
  for (const isolation of ["tool", "call"]) {
    const { address, givenUp } = await startEcho();
    const tool = { name: "ask", description: "Asks.", script: "scripts/ask.js", isolation, headers: { Authorization: "Bearer {{KEY}}" } };
    const root = makeFolder({ "tools.json": { tools: [tool] }, "scripts/ask.js": SCRIPT });
    const home = makeHome();
    await storeSecret({ root, home }, "KEY", "sk-live-0123456789", { hosts: [address] });
    const runtime = await openTestRuntime(root, home);
    const result = await runtime.run("ask", { at: address });
    const form = '--B\r\nContent-Disposition: form-data; name="f"; filename="n.txt"\r\nContent-Type: t/u\r\n\r\nbytes\r\n--B--\r\n';
    expect(result).toMatchObject({
      kind: "ok",
      value: [
        { method: "PUT", url: "/a?b=c", type: "text/plain", own: "1", body: "é", redirected: false },
        ["a=1", "b=2"],
        true,
        { method: "POST", url: "/p", type: "application/x-www-form-urlencoded", body: "q=a+b", redirected: false },
        { method: "GET", url: "/there", body: "", redirected: true },
        { method: "POST", url: "/f", type: "multipart/form-data", body: form, redirected: false },
        [302, "/there"],
        [true, "string"],
        "TimeoutError",
      ],
    });
    await givenUp;
  }
});
