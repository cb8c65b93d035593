/** The API that the secrets are bound to, which gives them back in every way it knows, and the server of the attacker. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { GUESSED, ISSUED_TOKEN } from "./canaries.ts";

/** One request as it arrived. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  /** Name and value in turns, as sent. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** A server on loopback that keeps what it is sent. */
export interface RecordingServer extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  readonly arrived: readonly Arrived[];
}

type Answer = (request: Arrived, response: ServerResponse) => void;

/** Starts the API; `evilOrigin` is where its open redirects lead. */
export function startApi(evilOrigin: string): Promise<RecordingServer> {
  return startServer((request, response) => {
    const [path = ""] = request.url.split("?");
    const secrets = secretsIn(request);
    const all = secrets.join(" | ");
    const make = ANSWERS[path];
    if (path === "/token") {
      const issued = { access_token: ISSUED_TOKEN, token_type: "Bearer", expires_in: 3600 };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(issued));
    } else if (path === "/away") response.writeHead(307, { location: `${evilOrigin}/back` }).end(all);
    else if (make !== undefined) make(secrets, response);
    else response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end(all);
  });
}

/** Starts the attacker's server: sends back at once to the API, or says a guess. */
export function startEvil(apiPort: () => number): Promise<RecordingServer> {
  return startServer((request, response) => {
    if (request.url.startsWith("/back")) response.writeHead(307, { location: `http://127.0.0.1:${apiPort()}/plain` }).end();
    else response.writeHead(200, { "x-guess": GUESSED }).end(`is it ${GUESSED}?`);
  });
}

/** What the API does with the secrets it was sent, by path. */
const ANSWERS: Readonly<Record<string, (secrets: readonly string[], response: ServerResponse) => void>> = {
  "/echo": (secrets, response) => {
    response.writeHead(200, { "content-type": "application/json; charset=utf-8", ...headersOf(secrets) });
    response.end(JSON.stringify(secrets.map(echoes)));
  },
  "/escaped": (secrets, response) => {
    const escaped = (text: string): string =>
      `"${[...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
    response.writeHead(200, { "content-type": "application/json" }).end(`[${secrets.map(escaped).join(",")}]`);
  },
  "/gzip": (secrets, response) => void sendCoded(response, "gzip", gzipSync(secrets.join("\n"))),
  "/brotli": (secrets, response) => void sendCoded(response, "br", brotliCompressSync(secrets.join("\n"))),
  "/deflate": (secrets, response) => void sendCoded(response, "deflate", deflateSync(secrets.join("\n"))),
  "/zstd": (secrets, response) => void sendCoded(response, "zstd", zstdCompressSync(secrets.join("\n"))),
  "/utf16": (secrets, response) =>
    void response.writeHead(200, { "content-type": "application/octet-stream" }).end(Buffer.from(secrets.join("\n"), "utf16le")),
  "/reversed": (secrets, response) => void response.end(secrets.map((text) => [...text].reverse().join("")).join("\n")),
  "/location": (secrets, response) => {
    const value = encodeURIComponent(shortOf(secrets).join(" "));
    response.writeHead(302, { location: `/end?leak=${value}`, "set-cookie": `leak=${value}` }).end();
  },
  "/error": (secrets, response) => void response.writeHead(500, statusText(secrets), headersOf(secrets)).end(secrets.join("\n")),
  "/broken": (secrets, response) => {
    const text = Buffer.from(shortOf(secrets).join(" "));
    response.socket?.end(
      Buffer.concat([Buffer.from("HTTP/1.1 200 "), text, Buffer.from("\r\nContent-Length: "), text, Buffer.from("\r\n\r\n")]),
    );
  },
  "/cut": (secrets, response) => {
    response.writeHead(200, { "content-length": "100000", ...headersOf(secrets) });
    response.write(secrets.join("\n"), () => response.destroy());
  },
  "/split": (secrets, response) => {
    const bytes = Buffer.from(shortOf(secrets).join("\n"));
    response.writeHead(200);
    const next = (at: number): void => {
      if (at >= bytes.length) response.end();
      else response.write(bytes.subarray(at, at + 3), () => setImmediate(next, at + 3));
    };
    next(0);
  },
  "/trailers": (secrets, response) => {
    response.writeHead(200, { trailer: "x-leak" });
    response.write("body");
    response.addTrailers({ "x-leak": latin1(secrets[0] ?? "") });
    response.end();
  },
};

const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };

/** A text in every way a server writes one without meaning to hide it. */
function echoes(text: string): Readonly<Record<string, unknown>> {
  const utf8 = Buffer.from(text);
  const forms = ["", "x", "xx"].flatMap((before) => [Buffer.from(before + text), Buffer.from(before + text, "latin1")]);
  return {
    plain: text,
    percent: encodeURIComponent(text),
    form: new URLSearchParams({ v: text }).toString(),
    allPercent: [...utf8].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
    hex: utf8.toString("hex"),
    capitalHex: utf8.toString("hex").toUpperCase(),
    base64: forms.map((form) => form.toString("base64")),
    base64url: forms.map((form) => form.toString("base64url")),
    html: text.replace(/[&<>"']/g, (character) => HTML[character] ?? character),
    allHtml: [...text].map((character) => `&#${character.codePointAt(0)};`).join(""),
    nested: JSON.stringify({ text }),
    [text]: "as a key",
  };
}

/** The values of all headers and parameters that carry a secret of the tools. */
function secretsIn({ url, headers }: Arrived): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = headers.slice(at, at + 2);
    if (!/^(x-api-key|x-latin|x-jwt|x-short|x-long|authorization)$/i.test(name)) continue;
    found.push(Buffer.from(value, "latin1").toString("utf8").includes("\ufffd") ? value : Buffer.from(value, "latin1").toString("utf8"));
    if (value.startsWith("Basic ")) found.push(Buffer.from(value.slice("Basic ".length), "base64").toString());
    if (value.startsWith("Bearer ")) found.push(value.slice("Bearer ".length));
  }
  const key = new URLSearchParams(url.split("?")[1] ?? "").get("key");
  return key === null ? found : [...found, key];
}

function headersOf(secrets: readonly string[]): Record<string, string | string[]> {
  const short = shortOf(secrets);
  const asName = secrets.find((text) => /^[A-Za-z0-9!]+$/.test(text)) ?? "none";
  return { "x-echo": short.map(latin1), "set-cookie": short.map((text) => `s=${encodeURIComponent(text)}`), [`x-${asName}`]: "as a name" };
}

function statusText(secrets: readonly string[]): string {
  return latin1(shortOf(secrets).join(" "));
}

/** Those that fit whole into a line: a value that is cut is one of the limits of masking. */
function shortOf(secrets: readonly string[]): readonly string[] {
  return secrets.filter((text) => text.length < 200);
}

function latin1(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

function sendCoded(response: ServerResponse, coding: string, bytes: Buffer): void {
  response.writeHead(200, { "content-encoding": coding, "content-type": "text/plain" }).end(bytes);
}

async function startServer(answer: Answer): Promise<RecordingServer> {
  const arrived: Arrived[] = [];
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    void bodyOf(request).then((body) => {
      const each = { method: request.method ?? "", url: request.url ?? "", headers: request.rawHeaders, body };
      arrived.push(each);
      answer(each, response);
    });
  });
  // A proxy would be asked so; nobody may.
  server.on("connect", (request, socket) => {
    arrived.push({ method: "CONNECT", url: request.url ?? "", headers: request.rawHeaders, body: "" });
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    arrived,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text;
}
