/** What every client must be able to do with a server, whichever server it is: the tests are given one as a parameter. */
import { expect, test } from "vitest";
import { CLIENT_KINDS, type ClientKind, connectClient, type Target, type TestClient } from "./mcp-clients.ts";

/** One server, with the tools `echo {text}`, `pick {where: {column: name|amount}}` and `wait {}`. */
export interface ServerUnderTest extends AsyncDisposable {
  readonly target: Target;
  /** Resolves once `wait` runs. */
  waitStarted(): Promise<void>;
  /** Resolves once `wait` has noticed that it was cancelled. */
  waitCancelled(): Promise<void>;
  /** Changes the workspace so that there is a tool `grown`. */
  grow(): Promise<void>;
}

/** Declares the tests of all clients against servers that `start` starts. */
export function testClients(name: string, start: () => Promise<ServerUnderTest>): void {
  for (const kind of CLIENT_KINDS) testClient(`${kind} over ${name}`, kind, start);
}

function testClient(title: string, kind: ClientKind, start: () => Promise<ServerUnderTest>): void {
  const connected = async (body: (client: TestClient, server: ServerUnderTest) => Promise<void>): Promise<void> => {
    await using server = await start();
    await using client = await connectClient(kind, server.target);
    await body(client, server);
  };

  test(`${title}: lists the tools, calls one, and reads which field of the arguments was wrong`, () =>
    connected(async (client) => {
      if (kind === "sdk 2.x at 2026-07-28") expect(client.protocolVersion()).toBe("2026-07-28");
      expect(await client.toolNames()).toEqual(
        expect.arrayContaining(["GetWorkspaceTools", "ExecuteWorkspaceTool", "echo", "pick", "wait"]),
      );
      expect(client.instructions()).toContain("- echo: ");
      expect(await client.call("echo", { text: "hello" })).toMatchObject({ isError: false, structured: { text: "hello" } });
      const refused = await client.call("pick", { where: { column: "Amount" } });
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain("where.column");
      expect((await client.call("nowhere", {})).structured).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    }));

  test(`${title}: cancels a running call, and the tool notices`, () =>
    connected(async (client, server) => {
      const controller = new AbortController();
      const call = client.call("wait", {}, { signal: controller.signal });
      const outcome = expect(call).rejects.toThrow();
      await server.waitStarted();
      controller.abort();
      await server.waitCancelled();
      await outcome;
      expect(await client.call("echo", { text: "still here" })).toMatchObject({ isError: false });
    }));

  test(`${title}: is told of a new tool and calls it`, () =>
    connected(async (client, server) => {
      expect(await client.toolNames()).not.toContain("grown");
      await server.grow();
      await client.listChanged;
      expect(await client.toolNames()).toContain("grown");
      expect(await client.call("grown", {})).toMatchObject({ isError: false, text: "grown" });
    }));
}
