/** Real clients that answer questions of scripts, and read prompts and resources. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { isJsonObject } from "../../src/core/json.ts";
import type { ClientKind, Target } from "./mcp-clients.ts";

/** What a person answers to a message; "none" is a client that cannot ask. */
export type Person = "none" | ((message: string) => { action: "accept" | "decline" | "cancel"; content?: Record<string, string> });

/** What the tests ask of a client. */
export interface AskingClient {
  callTool(name: string, args?: Record<string, unknown>): Promise<unknown>;
  getPrompt(name: string, args?: Record<string, string>): Promise<unknown>;
}

const INFO = { name: "asking", version: "1.0.0" };

/** Connects a client of that kind, whose person answers; it is closed with the test. */
export async function connectAsking(kind: ClientKind, target: Target, person: Person): Promise<AskingClient> {
  const capabilities = person === "none" ? {} : { elicitation: {} };
  return kind === "sdk 1.x"
    ? connectV1(target, person, capabilities)
    : connectV2(target, person, capabilities, kind.endsWith("2026-07-28"));
}

async function connectV1(target: Target, person: Person, capabilities: object): Promise<AskingClient> {
  const client = new ClientV1(INFO, { capabilities });
  if (person !== "none") client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message));
  const transport =
    target.kind === "stdio"
      ? new StdioV1({ command: target.command, args: [...target.args], env: { ...target.env }, stderr: "ignore" })
      : new HttpV1(new URL(target.url), { requestInit: { headers: { Authorization: `Bearer ${target.token}` } } });
  // The 1.x types of the HTTP transport predate exactOptionalPropertyTypes: its sessionId is "string | undefined".
  await client.connect(transport as StdioV1);
  onTestFinished(() => client.close());
  return {
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
  };
}

async function connectV2(target: Target, person: Person, capabilities: object, isModern: boolean): Promise<AskingClient> {
  const client = new ClientV2(INFO, { capabilities, ...(isModern ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {}) });
  if (person !== "none") {
    client.setRequestHandler("elicitation/create", ({ params }) => person(isJsonObject(params) ? String(params.message) : ""));
  }
  const transport =
    target.kind === "stdio"
      ? new StdioV2({ command: target.command, args: [...target.args], env: { ...target.env }, stderr: "ignore" })
      : new HttpV2(new URL(target.url), { requestInit: { headers: { Authorization: `Bearer ${target.token}` } } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
  };
}
