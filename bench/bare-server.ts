// The same SDK without a sandbox: one echo tool over stdio or HTTP. What toolyard's figures are compared with.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const echo = {
  name: "echo",
  description: "Gives back its text",
  inputSchema: { type: "object" as const, properties: { text: { type: "string" } }, required: ["text"] },
};

function buildServer(): Server {
  const server = new Server({ name: "bare", version: "0.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({ tools: [echo] }));
  server.setRequestHandler("tools/call", async ({ params }) => ({
    content: [{ type: "text", text: JSON.stringify({ text: params.arguments?.text }) }],
    structuredContent: { text: params.arguments?.text },
  }));
  return server;
}

function serveHttp(): void {
  const modern = createMcpHandler(buildServer, { legacy: "reject" });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const node = toNodeHandler({
    fetch: async (request, options) => {
      if (!(await isLegacyRequest(request))) return modern.fetch(request, options);
      const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
      if (known !== undefined) return known.handleRequest(request, options);
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await buildServer().connect(transport);
      return transport.handleRequest(request, options);
    },
  });
  // The SDK declares optional headers without undefined; Node's own type is what its handler gets in practice.
  const server = createServer((request, response) => void node(request as Parameters<typeof node>[0], response));
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address !== null && typeof address === "object") console.error(`http://127.0.0.1:${address.port}/mcp`);
  });
}

if (process.argv.includes("--http")) serveHttp();
else serveStdio(buildServer);
