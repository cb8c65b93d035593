import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { recorder } from "./egress-support.ts";
import { selfSigned } from "./self-signed.ts";

/** Would let OpenSSL accept what is broken, were it not said otherwise for each connection. */
const OPENSSL_SETTINGS = `nodejs_conf = settings
[settings]
ssl_conf = ssl
[ssl]
system_default = weak
[weak]
MinProtocol = TLSv1
CipherString = ALL:eNULL@SECLEVEL=0
`;

test("no variable and no option of Node in the environment leads requests elsewhere or weakens their TLS", async () => {
  const server = await recorder(() => ({ status: 200, body: "direct" }));
  const proxied: string[] = [];
  // Answers everything by itself: nothing that reaches it goes any further.
  const proxy = createServer((request, response) => {
    proxied.push(request.url ?? "");
    response.writeHead(502).end();
  });
  proxy.on("connect", (request, socket) => {
    proxied.push(request.url ?? "");
    socket.end("HTTP/1.1 502 No\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  // A TCP server that listens has an AddressInfo.
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), "toolyard-environment-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const authority = selfSigned("localhost");
  const [certificates, settings] = [join(folder, "authority.pem"), join(folder, "openssl.cnf")];
  writeFileSync(certificates, authority.cert);
  writeFileSync(settings, OPENSSL_SETTINGS);
  const env = {
    ...Object.fromEntries(
      ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [
        [name, proxyUrl],
        [name.toLowerCase(), proxyUrl],
      ]),
    ),
    NO_PROXY: "",
    NODE_USE_ENV_PROXY: "1",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    SSLKEYLOGFILE: join(folder, "keys.log"),
    OPENSSL_CONF: settings,
    NODE_EXTRA_CA_CERTS: certificates,
    NODE_OPTIONS:
      "--use-env-proxy --tls-min-v1.0 --tls-cipher-list=ALL:eNULL@SECLEVEL=0 --dns-result-order=ipv6first --insecure-http-parser",
  };
  const script = fileURLToPath(new URL("egress-environment-child.ts", import.meta.url));
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, String(server.port), JSON.stringify(authority)], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await once(child, "close");
  expect(JSON.parse(output)).toEqual({
    plain: "direct",
    unknownSigner: "NETWORK_ERROR DEPTH_ZERO_SELF_SIGNED_CERT",
    knownSigner: "hello",
    outdated: "NETWORK_ERROR ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    weak: "NETWORK_ERROR ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
    // The one that counts: whoever sets the environment may add authorities, and that is all it adds.
    addedSigner: "hello",
    shortKey: "NETWORK_ERROR UNSPECIFIED",
    // What the same environment does to requests that are made without the guard.
    without: {
      unknownSigner: "hello",
      proxied: "refused by the proxy",
      outdated: "TLSv1.1 ECDHE-ECDSA-AES256-SHA",
      weak: "TLSv1.2 ECDHE-ECDSA-NULL-SHA",
      shortKey: "TLSv1.3 TLS_AES_256_GCM_SHA384",
    },
  });
  expect(proxied).toEqual([`127.0.0.1:${server.port}`]);
  expect(existsSync(join(folder, "keys.log"))).toBe(false);
});
