/** The one script that every client goes through, over either transport. */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import {
  expectedOutcome,
  MATRIX_CLIENTS,
  type MatrixClient,
  type Outcome,
  STEPS,
  type Step,
  type Transport,
} from "../support/matrix-clients.ts";
import type { TestClient } from "../support/mcp-clients.ts";
import { LONG_TEXT, type MatrixServer, startMatrixServer } from "./matrix-workspace.ts";

/** How each step ended, or why it failed. */
export type StepEnds = { readonly [step in Step]: Outcome | `failed: ${string}` };

/** One client over one transport. */
export interface MatrixRow {
  readonly client: MatrixClient;
  readonly transport: Transport;
  readonly ends: StepEnds;
}

/** How long a client that is expected to be told is waited for, in milliseconds. */
const TOLD_WITHIN_MS = 10_000;

/** Takes all clients through the script against one server; over HTTP it is restarted once, after all have done the other steps. */
export async function runMatrix(cli: string, transport: Transport): Promise<readonly MatrixRow[]> {
  await using server = await startMatrixServer(cli, transport);
  const visits: Visit[] = [];
  for (const client of MATRIX_CLIENTS) {
    const visit: Visit = { client, transport, server, connected: await client.connect(server.target), kept: { id: "" }, ends: new Map() };
    visits.push(visit);
    for (const step of STEPS) if (step !== "server restarted") await take(visit, step);
    // Over stdio each client has a server of its own.
    if (transport === "stdio") await takeRestart(visit, () => server.restart());
  }
  if (transport === "HTTP") {
    await server.restart();
    for (const visit of visits) await takeRestart(visit, async () => undefined);
  }
  return visits.map(({ client, ends }) => ({ client, transport, ends: rowOf(ends) }));
}

interface Visit {
  readonly client: MatrixClient;
  readonly transport: Transport;
  readonly server: MatrixServer;
  connected: TestClient;
  /** Id of the long result. */
  readonly kept: { id: string };
  readonly ends: Map<Step, StepEnds[Step]>;
}

const RUN: { readonly [step in Step]: (visit: Visit) => Promise<Outcome> } = {
  list: async ({ client, connected }) => {
    expect(await connected.toolNames()).toEqual(
      expect.arrayContaining(["GetWorkspaceTools", "ExecuteWorkspaceTool", "ReadWorkspaceResult", "echo", "pick", "steps", "long", "wait"]),
    );
    // Undefined where a client does not show it.
    expect([client.version, undefined]).toContain(connected.protocolVersion());
    expect(connected.instructions() ?? "- echo: ").toContain("- echo: ");
    return "yes";
  },
  call: async ({ connected }) => {
    expect(await connected.call("echo", { text: "hello" })).toEqual({
      isError: false,
      text: '{"text":"hello"}',
      structured: { text: "hello" },
    });
    return "yes";
  },
  "bad call": async ({ connected }) => {
    const refused = await connected.call("pick", { where: { column: "Amount" } });
    expect(refused).toMatchObject({ isError: true, structured: { error: { code: "INVALID_ARGUMENTS" } } });
    expect(refused.text).toContain("where.column");
    return "yes";
  },
  progress: async (visit) => {
    const { client, connected, server, transport } = visit;
    const waiting = server.nextWait();
    const seen: number[] = [];
    const third = Promise.withResolvers<void>();
    const onProgress = (done: number): void => {
      if (seen.push(done) === 3) third.resolve();
    };
    const called = connected.call("steps", {}, { onProgress });
    await waiting.started;
    // The SDKs drop progress that arrives in one piece with the result, so that has to wait.
    if (expectedOutcome(client, transport, "progress") === "yes") await Promise.race([third.promise, delay(TOLD_WITHIN_MS)]);
    waiting.answer();
    expect(await called).toMatchObject({ isError: false, text: "done" });
    if (seen.length > 0) expect(seen).toEqual([1, 2, 3]);
    return seen.length > 0 ? "yes" : "not offered";
  },
  cancel: async (visit) => {
    const { connected, server } = visit;
    const waiting = server.nextWait();
    const controller = new AbortController();
    const gaveUp = connected.call("wait", {}, { signal: controller.signal }).then(
      () => false,
      () => true,
    );
    await waiting.started;
    controller.abort();
    expect(await gaveUp).toBe(true);
    if (expectedOutcome(visit.client, visit.transport, "cancel") === "yes") await Promise.race([waiting.ended, delay(TOLD_WITHIN_MS)]);
    // Where nobody tells the server, the tool lives through another request and takes its answer.
    else await connected.toolNames();
    waiting.answer();
    return (await waiting.ended) === "closed" ? "yes" : "not offered";
  },
  "large result": async ({ connected, kept }) => {
    const { text } = await connected.call("long", {});
    kept.id = /"id":"([^"]+)"/.exec(text)?.[1] ?? "";
    const first = pageOf(text);
    let read = first.page;
    for (let offset = first.next; offset !== undefined; ) {
      const { page, next } = pageOf((await connected.call("ReadWorkspaceResult", { id: kept.id, offset })).text);
      read += page;
      offset = next;
    }
    expect(first.page.length).toBeLessThan(LONG_TEXT.length);
    expect(read === LONG_TEXT).toBe(true);
    return "yes";
  },
  "edit seen": async (visit) => {
    const { client, connected, server, transport } = visit;
    const name = `added-${MATRIX_CLIENTS.indexOf(client)}`;
    server.addTool(name);
    const told = connected.listChanged.then(() => true);
    const isToldExpected = expectedOutcome(client, transport, "edit seen") === "told at once";
    const wasTold = await Promise.race([told, delay(isToldExpected ? TOLD_WITHIN_MS : 0, false)]);
    expect(await connected.toolNames()).toContain(name);
    expect(await connected.call(name, {})).toMatchObject({ isError: false });
    return wasTold ? "told at once" : "at the next list";
  },
  "server restarted": async (visit) => {
    // A page of before: what the first server kept, the second one gives.
    const readOn = async (): Promise<void> => {
      const { text } = await visit.connected.call("ReadWorkspaceResult", { id: visit.kept.id, offset: 9 * 8, limit: 100 });
      expect(pageOf(text).page.startsWith("line 😀\n")).toBe(true);
    };
    try {
      await readOn();
      return "goes on";
    } catch {
      // How it fails is the client's own; that a new connection works is what is asked for.
      await visit.connected[Symbol.asyncDispose]();
      visit.connected = await visit.client.connect(visit.server.target);
      await readOn();
      return "connects anew";
    }
  },
};

async function take(visit: Visit, step: Step): Promise<void> {
  try {
    visit.ends.set(step, await RUN[step](visit));
  } catch (error) {
    visit.ends.set(step, `failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function takeRestart(visit: Visit, restart: () => Promise<void>): Promise<void> {
  await restart();
  await take(visit, "server restarted");
  await visit.connected[Symbol.asyncDispose]();
}

/** Text of a cut result or a page of it, and where the next one begins. */
function pageOf(text: string): { readonly page: string; readonly next: number | undefined } {
  const lineAt = text.lastIndexOf("\n[");
  const next = /begins at offset (\d+)\.\]$|"offset":(\d+)/.exec(text.slice(lineAt));
  return { page: text.slice(0, lineAt), next: next === null ? undefined : Number(next[1] ?? next[2]) };
}

function rowOf(ends: ReadonlyMap<Step, StepEnds[Step]>): StepEnds {
  const end = (step: Step): StepEnds[Step] => ends.get(step) ?? "failed: not run";
  return {
    list: end("list"),
    call: end("call"),
    "bad call": end("bad call"),
    progress: end("progress"),
    cancel: end("cancel"),
    "large result": end("large result"),
    "edit seen": end("edit seen"),
    "server restarted": end("server restarted"),
  };
}
