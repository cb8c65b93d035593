/** Run by egress-secrets.test.ts with a hostile environment: prints what three requests to loopback came to. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";
import { ToolError } from "../../src/core/errors.ts";
import { parseHostPattern } from "../../src/core/host-pattern.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { silentLog } from "../../src/core/log.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { selfSigned } from "./self-signed.ts";

const tls = createServer(selfSigned("localhost"), (_request, response) => response.end("hello"));
tls.listen(0, "127.0.0.1");
await once(tls, "listening");
// A TCP server that listens has an AddressInfo.
const tlsPort = (tls.address() as AddressInfo).port;
const hosts = [`127.0.0.1:${process.argv[2]}`, `localhost:${tlsPort}`];

const egress = createEgress({ log: silentLog });
const call = egress.forCall({
  callId: "child",
  policy: { toolName: "child", allowedHosts: hosts.map((host) => parseHostPattern(host, { kind: "allowed" })), trusted: () => true },
  toolHeaders: { headersFor: () => new Map(), sent: () => [] },
  limits: defaultLimits(),
  remainingMs: () => 10_000,
});

async function outcome(url: string): Promise<string> {
  try {
    const { body } = await call.request(
      { url, method: "GET", headers: {}, body: { kind: "none" }, redirect: "follow" },
      new AbortController().signal,
    );
    return body.kind === "text" ? body.text : body.base64;
  } catch (error) {
    return error instanceof ToolError ? `${error.code} ${String(error.data.reason)}` : String(error);
  }
}

const plain = await outcome(`http://${hosts[0]}/`);
const guarded = await outcome(`https://${hosts[1]}/`);
const agent = new Agent();
const unguarded = await (await request(`https://${hosts[1]}/`, { dispatcher: agent })).body.text();
process.stdout.write(JSON.stringify({ plain, tls: guarded, unguarded: unguarded === "hello" }));
await agent.destroy();
await egress[Symbol.asyncDispose]();
tls.closeAllConnections();
tls.close();
