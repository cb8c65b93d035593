// Questions of scripts and prompts, asked through real clients of both generations, over both transports, with the installed command.
import { expect, inject, onTestFinished, test } from "vitest";
import { connectAsking } from "../support/asking-clients.ts";
import { CLIENT_KINDS } from "../support/mcp-clients.ts";
import { type CliBench, makeBench } from "./cli-process.ts";
import { startHttpTarget, stdioTarget } from "./installed-workspace.ts";

const cli = inject("installedCli");

function workspace(): CliBench {
  const bench = makeBench(cli);
  onTestFinished(() => bench[Symbol.dispose]());
  bench.write({
    "tools.json": {
      tools: [
        { name: "order", description: "Orders", script: "order.js", timeout: 5 },
        { name: "twice", description: "Asks twice", script: "twice.js", timeout: 5 },
      ],
      prompts: [{ name: "trip", description: "Plans", arguments: [{ name: "city", required: true }], file: "trip.md" }],
    },
    "order.js": `async function main() {
      const form = { type: "object", properties: { size: { type: "string", enum: ["small", "large"] } }, required: ["size"] };
      const answer = await g.ask.elicit("Which size?", form);
      return answer.action === "accept" ? "ordered " + answer.content.size : answer.action;
    }`,
    "twice.js": `async function main() {
      const first = await g.ask.elicit("First?");
      const second = await g.ask.elicit("Second?");
      return first.action + " " + second.action;
    }`,
    "trip.md": "A trip to {{city}}.",
  });
  return bench;
}

const transports = ["stdio", "HTTP"] as const;
const combinations = CLIENT_KINDS.flatMap((kind) => transports.map((transport) => ({ kind, transport })));

test.for(combinations)(
  "$kind over $transport: a script asks a person, goes on with the answer, and hears a no as a value",
  async ({ kind, transport }) => {
    const bench = workspace();
    const target = transport === "stdio" ? stdioTarget(cli, { bench }) : await startHttpTarget({ bench });
    const heard: string[] = [];
    const client = await connectAsking(kind, target, (message) => {
      heard.push(message);
      if (message === "Which size?") return { action: "accept", content: { size: "large" } };
      if (message === "First?") return { action: "decline" };
      return message === "Second?" ? { action: "cancel" } : { action: "accept", content: { city: "Bern" } };
    });
    expect(await client.callTool("order")).toMatchObject({ content: [{ text: "ordered large" }] });
    expect(await client.callTool("twice")).toMatchObject({ content: [{ text: "decline cancel" }] });
    expect(await client.getPrompt("trip")).toMatchObject({ messages: [{ role: "user", content: { text: "A trip to Bern." } }] });
    expect(heard).toEqual(["Which size?", "First?", "Second?", 'The prompt "trip" needs more to go on.']);

    const mute = await connectAsking(kind, target, "none");
    if (kind === "sdk 2.x at 2026-07-28") {
      // By that protocol the client is told what it would have to declare.
      await expect(mute.callTool("order")).rejects.toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
    } else {
      expect(await mute.callTool("order")).toMatchObject({ isError: true, structuredContent: { error: { code: "UNAVAILABLE" } } });
    }
    await expect(mute.getPrompt("trip")).rejects.toThrow("city");
    expect(await mute.getPrompt("trip", { city: "Basel" })).toMatchObject({ messages: [{ content: { text: "A trip to Basel." } }] });
  },
);
