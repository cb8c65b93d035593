/** The clients people have, behind one face: the 1.x SDK, and the 2.x SDK at either protocol generation. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2, type Transport as TransportV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

/** How a server is reached. */
export type Target =
  | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly kind: "http"; readonly url: string; readonly token: string };

/** A result as the tests look at it. */
export interface ClientResult {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
}

/** How a call is made. */
export interface ClientCall {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: number) => void;
}

/** A connected client. */
export interface TestClient extends AsyncDisposable {
  toolNames(): Promise<readonly string[]>;
  call(name: string, args: Record<string, unknown>, options?: ClientCall): Promise<ClientResult>;
  instructions(): string | undefined;
  protocolVersion(): string | undefined;
  /** Resolves at the first message that the list has changed. */
  readonly listChanged: Promise<void>;
}

/** Names of the clients. */
export const CLIENT_KINDS = ["sdk 1.x", "sdk 2.x at 2025-11-25", "sdk 2.x at 2026-07-28"] as const;

/** One of {@link CLIENT_KINDS}. */
export type ClientKind = (typeof CLIENT_KINDS)[number];

const INFO = { name: "toolyard-test", version: "1.0.0" };

/** Connects a client of that kind. */
export function connectClient(kind: ClientKind, target: Target): Promise<TestClient> {
  return kind === "sdk 1.x" ? connectV1(target) : connectV2(target, kind === "sdk 2.x at 2026-07-28");
}

async function connectV1(target: Target): Promise<TestClient> {
  const changed = Promise.withResolvers<void>();
  const client = new ClientV1(INFO);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
  const transport =
    target.kind === "stdio"
      ? new StdioV1({ command: target.command, args: [...target.args], env: { ...target.env }, stderr: "ignore" })
      : new HttpV1(new URL(target.url), { requestInit: { headers: { Authorization: `Bearer ${target.token}` } } });
  // The 1.x types of the HTTP transport predate exactOptionalPropertyTypes: its sessionId is "string | undefined".
  await client.connect(transport as StdioV1);
  return {
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args, { signal, onProgress } = {}) => {
      const options = {
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onprogress: ({ progress }: { progress: number }) => onProgress(progress) }),
      };
      return toResult(await client.callTool({ name, arguments: args }, CallToolResultSchema, options));
    },
    instructions: () => client.getInstructions(),
    protocolVersion: () => ("protocolVersion" in transport ? String(transport.protocolVersion) : undefined),
    listChanged: changed.promise,
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

async function connectV2(target: Target, isModern: boolean): Promise<TestClient> {
  const changed = Promise.withResolvers<void>();
  const client = new ClientV2(INFO, {
    ...(isModern ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {}),
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed.resolve() } },
  });
  const transport: TransportV2 =
    target.kind === "stdio"
      ? new StdioV2({ command: target.command, args: [...target.args], env: { ...target.env }, stderr: "ignore" })
      : new HttpV2(new URL(target.url), { requestInit: { headers: { Authorization: `Bearer ${target.token}` } } });
  await client.connect(transport);
  return {
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args, { signal, onProgress } = {}) => {
      const options = {
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onprogress: ({ progress }: { progress: number }) => onProgress(progress) }),
      };
      return toResult(await client.callTool({ name, arguments: args }, options));
    },
    instructions: () => client.getInstructions(),
    protocolVersion: () => client.getNegotiatedProtocolVersion(),
    listChanged: changed.promise,
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

/** A result of `tools/call` as the tests look at it. */
export function toResult(result: object): ClientResult {
  const content: unknown[] = "content" in result && Array.isArray(result.content) ? result.content : [];
  const texts = content.map((block) => (typeof block === "object" && block !== null && "text" in block ? String(block.text) : ""));
  return {
    isError: "isError" in result && result.isError === true,
    text: texts.join("\n"),
    structured: "structuredContent" in result ? result.structuredContent : undefined,
  };
}
