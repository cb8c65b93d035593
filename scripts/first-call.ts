// A client in a process of its own: calls text-stats through the address and token it reads from stdin, and prints the answer.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const TEXT = "Tools are live. They answer on the next call.";

let input = "";
for await (const chunk of process.stdin.setEncoding("utf8")) input += chunk;
const { url, token }: { url: string; token: string } = JSON.parse(input);

const client = new Client({ name: "toolyard-first-call", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
// The first call also compiles the schema and the script; what a user meets after that is the second.
await client.callTool({ name: "text-stats", arguments: { text: TEXT } });
const startedAt = performance.now();
const result = await client.callTool({ name: "text-stats", arguments: { text: TEXT } });
const ms = performance.now() - startedAt;
await client.close();
const [message] = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
process.stdout.write(`${JSON.stringify({ isError: result.isError === true, message, answer: result.structuredContent, ms })}\n`);
