/** Other people's APIs, served on loopback from test/fixtures/apis: each file holds one request and the answer its documentation names. */
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Dial, Lookup } from "../../src/egress/connector.ts";

const fixture = z.strictObject({
  /** The public documentation page it was written from. */
  source: z.url(),
  request: z.strictObject({
    method: z.string(),
    host: z.string(),
    path: z.string(),
    /** All of it; {{NAME}} stands for the secret of that name, as in headers. */
    query: z.record(z.string(), z.string()),
    /** Headers that must be there. */
    headers: z.record(z.string(), z.string()).optional(),
  }),
  response: z.strictObject({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.unknown() }),
});

/** One request and its answer. */
export type Fixture = z.infer<typeof fixture>;

/** A running server. `misses` describes the requests that no fixture answers, without header values. */
export interface FixtureApis extends AsyncDisposable {
  readonly lookup: Lookup;
  readonly dial: Dial;
  readonly served: readonly string[];
  readonly misses: readonly string[];
}

/** An address of the range for documentation would be refused by the guard; this one is public and never connected to. */
const STAND_IN_ADDRESS = "93.184.216.34";

/** All fixtures, by file name. */
export function readFixtures(): ReadonlyMap<string, Fixture> {
  const folder = fileURLToPath(new URL("../fixtures/apis/", import.meta.url));
  const files = globSync("*.json", { cwd: folder });
  return new Map(files.map((file) => [file, fixture.parse(JSON.parse(readFileSync(`${folder}${file}`, "utf8")))]));
}

/** Serves the fixtures. `lookup` answers every name with one public address, and `dial` leads all of it to the server. */
export async function serveFixtures(secrets: Readonly<Record<string, string>>): Promise<FixtureApis> {
  const fixtures = [...readFixtures().values()];
  const served: string[] = [];
  const misses: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    const label = `${request.method} ${url.host}${url.pathname}${url.search}`;
    const found = fixtures.find((entry) => answers(entry, request, url, secrets));
    (found === undefined ? misses : served).push(label);
    answer(response, found);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address object.
  const { port } = server.address() as AddressInfo;
  return {
    served,
    misses,
    lookup: async () => [STAND_IN_ADDRESS],
    dial: async () => {
      // Plain TCP also for https: what is tried here is the script and the headers; TLS has tests of its own.
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      return { socket, remoteAddress: STAND_IN_ADDRESS };
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answers({ request }: Fixture, given: IncomingMessage, url: URL, secrets: Readonly<Record<string, string>>): boolean {
  const query = Object.fromEntries(url.searchParams);
  const wanted = Object.fromEntries(Object.entries(request.query).map(([name, value]) => [name, filledIn(value, secrets)]));
  const isSameQuery = JSON.stringify(sorted(query)) === JSON.stringify(sorted(wanted));
  const hasHeaders = Object.entries(request.headers ?? {}).every(([name, value]) => given.headers[name] === filledIn(value, secrets));
  return given.method === request.method && url.hostname === request.host && url.pathname === request.path && isSameQuery && hasHeaders;
}

function answer(response: ServerResponse, found: Fixture | undefined): void {
  if (found === undefined) {
    response.writeHead(599, { "content-type": "text/plain" }).end("no fixture answers this request");
    return;
  }
  response.writeHead(found.response.status, found.response.headers).end(JSON.stringify(found.response.body));
}

function filledIn(text: string, secrets: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{([A-Z_]+)\}\}/g, (_match, name: string) => secrets[name] ?? "");
}

function sorted(query: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
}
