/** Run by egress-environment.test.ts with a hostile environment: prints what requests came to, with the guard and without. */
import { once } from "node:events";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { Agent, request } from "undici";
import { ToolError } from "../../src/core/errors.ts";
import { parseHostPattern } from "../../src/core/host-pattern.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { silentLog } from "../../src/core/log.ts";
import { createDial } from "../../src/egress/dial.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { selfSigned } from "./self-signed.ts";

const identity = selfSigned("localhost");

async function startTls(options: ServerOptions = {}) {
  const server = createServer({ ...identity, ...options }, (_request, response) => response.end("hello"));
  server.on("tlsClientError", () => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server that listens has an AddressInfo.
  return { server, port: (server.address() as AddressInfo).port };
}

const modern = await startTls();
const outdated = await startTls({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" });
const weak = await startTls({ maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-NULL-SHA@SECLEVEL=0" });
const shortKey = selfSigned("localhost", "rsa-1024");
const short = await startTls({ ...shortKey, ciphers: "DEFAULT@SECLEVEL=0" });
// Signed by an authority that the environment adds.
const added = await startTls(JSON.parse(process.argv[3] ?? "{}"));
const hosts = [`127.0.0.1:${process.argv[2]}`, ...[modern, outdated, weak, added, short].map(({ port }) => `localhost:${port}`)];

/** What a request through the guard comes to. */
async function guarded(url: string, ca?: string): Promise<string> {
  const egress = createEgress({ log: silentLog, ...(ca !== undefined && { dial: createDial({ ca }) }) });
  const call = egress.forCall({
    callId: "child",
    policy: { toolName: "child", allowedHosts: hosts.map((host) => parseHostPattern(host, { kind: "allowed" })), trusted: () => true },
    toolHeaders: { prepare: () => ({ headers: new Map() }), sent: () => [] },
    limits: defaultLimits(),
    remainingMs: () => 10_000,
  });
  try {
    const { body } = await call.request(
      { url, method: "GET", headers: {}, body: { kind: "none" }, redirect: "follow" },
      new AbortController().signal,
    );
    return body.kind === "text" ? body.text : body.base64;
  } catch (error) {
    return error instanceof ToolError ? `${error.code} ${String(error.data.reason)}` : String(error);
  } finally {
    await egress[Symbol.asyncDispose]();
  }
}

/** The protocol and cipher that Node itself agrees to. */
async function unguarded(port: number, ca = identity.cert): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", ca, rejectUnauthorized: true });
  try {
    await once(socket, "secureConnect");
    return `${socket.getProtocol()} ${socket.getCipher().name}`;
  } catch (error) {
    return String(error);
  } finally {
    socket.destroy();
  }
}

const agent = new Agent();
const report = {
  plain: await guarded(`http://${hosts[0]}/`),
  // Kept by the environment's own additions to the built-in certificates only: nobody signed this one.
  unknownSigner: await guarded(`https://${hosts[1]}/`),
  knownSigner: await guarded(`https://${hosts[1]}/`, identity.cert),
  outdated: await guarded(`https://${hosts[2]}/`, identity.cert),
  weak: await guarded(`https://${hosts[3]}/`, identity.cert),
  addedSigner: await guarded(`https://${hosts[4]}/`),
  shortKey: await guarded(`https://${hosts[5]}/`, shortKey.cert),
  without: {
    unknownSigner: await (await request(`https://${hosts[1]}/`, { dispatcher: agent })).body.text(),
    // The proxy refuses; to a request that it is not asked for, the server would answer.
    proxied: await fetch(`http://${hosts[0]}/`)
      .then((response) => response.text())
      .catch(() => "refused by the proxy"),
    outdated: await unguarded(outdated.port),
    weak: await unguarded(weak.port),
    shortKey: await unguarded(short.port, shortKey.cert),
  },
};
process.stdout.write(JSON.stringify(report));
await agent.destroy();
for (const { server } of [modern, outdated, weak, added, short]) {
  server.closeAllConnections();
  server.close();
}
