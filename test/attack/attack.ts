/**
 * The attack on the secrets: a person stores them, an attacker writes the workspace and one of the servers and tries every
 * way out, and then everything is searched for them. Needs Linux (/proc). Only loopback is ever reached: every address
 * here is 127.0.0.1 or is refused by its form.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "../../src/core/secret.ts";
import { openAgentStore } from "../../src/policy/agent-store.ts";
import { openTrust } from "../../src/policy/trust-store.ts";
import { openVault } from "../../src/secrets/vault.ts";
import { workspaceIdentity } from "../../src/workspace/workspace-identity.ts";
import { cliIn } from "../support/cli.ts";
import { putFiles } from "../support/workspace-folder.ts";
import { ISSUED_TOKEN, MARK, SECRETS } from "./canaries.ts";
import type { Row, RowBench } from "./row.ts";
import { ROWS } from "./rows.ts";
import { type Find, searchBytes, searchFolder, searchProcess } from "./search.ts";
import { type RecordingServer, startApi, startEvil } from "./servers.ts";
import { startTarget, type Transport } from "./target.ts";
import { addedTool, hostsOf, type Places, workspaceFiles } from "./workspace.ts";

/** What came of the attack. */
export interface AttackReport {
  readonly rows: readonly (Pick<Row, "row" | "attack" | "expected"> & { readonly outcome: unknown })[];
  /** Where a secret was found; must be empty. */
  readonly found: readonly Find[];
  /** Names of the secrets that the API was really sent. */
  readonly received: readonly string[];
  readonly searched: {
    readonly files: number;
    readonly fileBytes: number;
    readonly streamBytes: number;
    readonly processes: number;
    readonly memoryBytes: number;
  };
}

/** Stands everything up, runs the rows, searches, and takes everything down. */
export async function runAttack(transport: Transport, rows: readonly Row[] = ROWS): Promise<AttackReport> {
  await using stack = new AsyncDisposableStack();
  const base = mkdtempSync(join(tmpdir(), "toolyard-attack-"));
  stack.defer(() => rmSync(base, { recursive: true, force: true }));
  let apiPort = 0;
  const evil = stack.use(await startEvil(() => apiPort));
  const api = stack.use(await startApi(evil.origin));
  apiPort = api.port;
  const bench = await prepare(base, { api, evil });
  const target = stack.use(
    await startTarget(transport, {
      root: bench.root,
      home: bench.home,
      scratch: bench.scratch,
      token: bench.token,
      env: hostileEnvironment(evil, bench.scratch),
    }),
  );
  const kept: string[] = [];
  const rowBench: RowBench = {
    ...bench,
    api,
    evil,
    target,
    kept,
    vaultPath: join(bench.home, "vault.json"),
    cli: async (args) => {
      const answer = await cliIn(bench.root, bench.home)(args);
      kept.push(answer.stdout, answer.stderr);
      return answer;
    },
    addTool: async () => {
      putFiles(bench.root, workspaceFiles({ api, evil }, [addedTool({ api, evil })]));
      await target.call("ReloadWorkspaceTools", {});
    },
  };
  const outcomes = [];
  for (const { row, attack, expected, run } of rows) outcomes.push({ row, attack, expected, outcome: await run(rowBench) });
  const processes = target.children();
  const inProcesses = processes.map((pid) => searchProcess(pid));
  await target[Symbol.asyncDispose]();
  const inFiles = searchFolder(base);
  const texts = {
    ...target.streams(),
    "what commands and refusals said": kept.join("\n"),
    "what the attacker's server was sent": JSON.stringify(evil.arrived),
  };
  const inStreams = Object.entries(texts).flatMap(([name, text]) => searchBytes(name, Buffer.from(text)));
  return {
    rows: outcomes,
    found: [...inProcesses.flatMap(({ found }) => found), ...inFiles.found, ...inStreams],
    received: receivedBy(api),
    searched: {
      files: inFiles.files,
      fileBytes: inFiles.bytes,
      streamBytes: Object.values(texts).reduce((sum, text) => sum + text.length, 0),
      processes: processes.length,
      memoryBytes: inProcesses.reduce((sum, { bytes }) => sum + bytes, 0),
    },
  };
}

/** What a person did before: the secrets stored, the workspace trusted with the private hosts of its tools, a token given. */
async function prepare(base: string, places: Places) {
  const [root, home, scratch] = ["workspace", "home", "scratch"].map((name) => join(base, name));
  if (root === undefined || home === undefined || scratch === undefined) throw new Error("Three names make three paths.");
  for (const folder of [root, scratch]) mkdirSync(folder, { mode: 0o700 });
  putFiles(root, workspaceFiles(places));
  const identity = workspaceIdentity(root);
  const hosts = [places.api, places.evil].map(({ port }) => `127.0.0.1:${port}`);
  const tools = ["api", "token", "free", "steal", "path", "one", "two", "tls", "unknown", "marks", "look"];
  await openTrust(home, identity).add(tools.flatMap((tool) => hosts.map((value) => ({ kind: "private-host", tool, value }) as const)));
  const scope = { kind: "workspace", id: identity.id } as const;
  const vault = openVault({ home, config: { keychain: false }, workspaceRoot: root });
  const entries = Object.entries(SECRETS).map(([name, value]) => {
    // The keys of SECRETS are all that it has.
    const hostsOfName = hostsOf(name as keyof typeof SECRETS, places);
    return { name, value: new Secret(value), binding: { hosts: hostsOfName } };
  });
  await vault.setMany(scope, entries);
  const token = await openAgentStore(home).addAgent("attacker", identity.id);
  return { root, home, scratch, vault, scope, token };
}

/** Variables that lead other programs to proxies, write down their keys or stop checking; and one with a mark, for the children. */
function hostileEnvironment({ origin }: RecordingServer, scratch: string): Readonly<Record<string, string>> {
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"].map((name) => [name, origin]);
  return {
    ...Object.fromEntries(proxies),
    NODE_USE_ENV_PROXY: "1",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    SSLKEYLOGFILE: join(scratch, "keys.log"),
    SOMEBODYS_TOKEN: `ambient-${MARK}`,
  };
}

function receivedBy(api: RecordingServer): readonly string[] {
  const texts = api.arrived.flatMap(({ url, headers, body }) => [url, body, ...headers, ...headers.map(unpackBasic)]);
  const all = texts.flatMap((text) => [text, decodeForm(text)]).join("\n");
  const stored = { ...SECRETS, ISSUED_TOKEN };
  return Object.entries(stored).flatMap(([name, value]) =>
    all.includes(value) || all.includes(Buffer.from(value).toString("latin1")) ? [name] : [],
  );
}

function unpackBasic(header: string): string {
  return header.startsWith("Basic ") ? Buffer.from(header.slice("Basic ".length), "base64").toString() : "";
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text; // No percent-encoding; it is looked at as it is.
  }
}
