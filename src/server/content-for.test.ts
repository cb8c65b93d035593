import { expect, onTestFinished, test } from "vitest";
import { codeTool, testEngine } from "../../test/support/mcp-engine.ts";
import { INITIALIZE, legacyMessage, messagesOf, notification, post, startTestHttp } from "../../test/support/mcp-http.ts";
import type { ContentBlock } from "../core/content.ts";
import { contentFor } from "./content-for.ts";

const AUDIO: ContentBlock = { type: "audio", data: "AAEC", mimeType: "audio/wav", annotations: { audience: ["user"] } };
const LINK: ContentBlock = { type: "resource_link", uri: "https://a.example/", name: "a" };

test("each protocol version gets the blocks it knows, and text in place of the others", () => {
  const sound = { type: "text", text: "[A sound, audio/wav, 3 bytes; this client cannot take it.]" };
  const link = { type: "text", text: "a: https://a.example/" };
  expect(contentFor([AUDIO, LINK], "2024-11-05")).toEqual([sound, link]);
  expect(contentFor([AUDIO, LINK], "2025-03-26")).toEqual([AUDIO, link]);
  for (const version of ["2025-06-18", "2025-11-25", "2026-07-28"]) expect(contentFor([AUDIO, LINK], version)).toEqual([AUDIO, LINK]);
});

test("on the wire a client of 2024-11-05 gets a text in place of a sound, and one of 2025-11-25 the sound", async () => {
  const engine = testEngine([codeTool("sound", async () => ({ kind: "content", blocks: [AUDIO] }))]);
  const server = await startTestHttp(engine);
  onTestFinished(() => server.close());
  const contentOf = async (protocolVersion: string): Promise<unknown> => {
    const opened = await post(server.url, legacyMessage("initialize", { ...INITIALIZE, protocolVersion }));
    await opened.text();
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    await post(server.url, notification("notifications/initialized"), session);
    return messagesOf(await post(server.url, legacyMessage("tools/call", { name: "sound", arguments: {} }, 2), session));
  };
  expect(await contentOf("2024-11-05")).toMatchObject([{ result: { content: [{ type: "text" }] } }]);
  expect(await contentOf("2025-11-25")).toMatchObject([{ result: { content: [AUDIO] } }]);
});
