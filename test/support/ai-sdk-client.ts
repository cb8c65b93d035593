/** The MCP client of the AI SDK, behind the face of the others. */
import { createMCPClient, type MCPTransport } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { type ClientCall, type Target, type TestClient, toResult } from "./mcp-clients.ts";

/** Connects it: with `server/discover`, as it does by itself, or by `initialize`. */
export async function connectAiSdk(target: Target, isModern: boolean): Promise<TestClient> {
  const client = await createMCPClient({
    transport: transportTo(target),
    protocolVersionDiscovery: isModern,
    // It reports each notification of a server as an error: it takes none.
    onUncaughtError: () => undefined,
  });
  const changed = Promise.withResolvers<void>();
  if (namesOf(client).some((name) => /listChanged|^on\w*(Notification|Change)/i.test(name))) changed.resolve();
  return {
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args, call = {}) => toResult(await client.callTool({ name, arguments: args, options: callOptions(call) })),
    instructions: () => client.instructions,
    protocolVersion: () => client.initializeResult.protocolVersion,
    // It has no way to hear of changes. Once a member by such a name appears, the matrix is to notice.
    listChanged: changed.promise,
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

/** It has no option for progress; under the name that the SDKs use, it would be called once there is one. */
function callOptions({ signal, onProgress }: ClientCall): { readonly signal?: AbortSignal } {
  const progress = onProgress === undefined ? {} : { onprogress: ({ progress }: { progress: number }) => onProgress(progress) };
  return { ...(signal === undefined ? {} : { signal }), ...progress };
}

function transportTo(target: Target): MCPTransport | { type: "http"; url: string; headers: Record<string, string> } {
  if (target.kind === "http") return { type: "http", url: target.url, headers: { Authorization: `Bearer ${target.token}` } };
  const { command, args, env } = target;
  const transport = new StdioMCPTransport({ command, args: [...args], env: { ...env }, stderr: "ignore" });
  // By itself it waits a second for the answer to server/discover, and on a busy machine a process takes longer to start.
  return Object.assign(transport, { waitsForProtocolVersionDiscovery: true });
}

function namesOf(object: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(object);
  const own = Object.getOwnPropertyNames(object);
  return typeof prototype === "object" && prototype !== null && prototype !== Object.prototype
    ? [...own, ...Object.getOwnPropertyNames(prototype)]
    : own;
}
