import { expect, test } from "vitest";
import type { ListedTool } from "../core/tool.ts";
import { clientData, clientReports, clientsProbe, SERVER_NAME } from "./check/clients.ts";
import { clientTableLines } from "./client-table.ts";

function listed(name: string, more: Partial<ListedTool> = {}): ListedTool {
  return {
    name,
    description: "Does it.",
    parameters: { type: "object", properties: {} },
    timeoutMs: 1,
    status: { kind: "ready" },
    role: "tools",
    ...more,
  };
}

const plain = (_tone: unknown, text: string): string => text;

function lines(...tools: readonly ListedTool[]): readonly string[] {
  return clientTableLines(clientReports(tools, 3), SERVER_NAME, plain);
}

test("tools that every client takes are one line, and a change that every tool has is another", () => {
  expect(lines(listed("weather"))).toEqual([
    'Clients, by rule, where the server is named "toolyard":',
    "  as is in Claude Code, Claude Desktop, Cursor, VS Code, Copilot CLI, Windsurf, Gemini CLI, Gemini API, Codex, OpenAI API, Bedrock",
  ]);
  expect(lines(listed("a-b"), listed("c-d")).at(-1)).toBe('  changed in Codex: "-" becomes "_" in the name (a-b, c-d)');
  expect(lines()).toEqual([]);
});

test("a tool whose results have another schema for clients is not said to be taken as it is", () => {
  const output = { type: "object", properties: { at: { $ref: "#/$defs/place" } }, $defs: { place: { type: "string" } } };
  const told = lines(listed("weather", { output }));
  expect(told[0]).toBe('Clients, by rule, where the server is named "toolyard":');
  expect(told.slice(1)).toEqual([
    expect.stringMatching(/^ {2}changed in Claude Code, .*: in "output", references are written out \(weather\)$/),
  ]);
});

test("where a client refuses a tool, a table shows each tool that differs by each client that differs", () => {
  expect(lines(listed("docs.find"), listed("weather"))).toEqual([
    'Clients, by rule, where the server is named "toolyard":',
    "  as is in Windsurf, Gemini CLI, Gemini API",
    "             Claude Code  Claude Desktop  Cursor   VS Code  Copilot CLI  Codex    OpenAI API  Bedrock",
    "  docs.find  changed      refused         refused  changed  refused      changed  refused     refused",
    '  changed in Claude Code, VS Code, Codex: "." becomes "_" in the name (docs.find)',
  ]);
});

test("a refusal is one finding per reason, with every client that has it and the change to make", async () => {
  const clients = clientReports([listed("docs.find")], 3);
  const place = { kind: "position", file: "tools.json", line: 3, column: 5, sourceLine: "" } as const;
  expect(await clientsProbe.run({ clients, placeOf: () => place })).toEqual([
    {
      code: "CLIENT_REFUSES",
      severity: "warning",
      place,
      tool: "docs.find",
      message: 'the name has "."; Claude Desktop, Copilot CLI, OpenAI API, Bedrock fail with it, Cursor leaves it out',
      mend: "Name it docs_find.",
    },
  ]);
});

test("the server's own tools and those set aside are not judged, but the own ones count", () => {
  const broken = listed("odd.name", {
    status: { kind: "broken", problem: { code: "SYNTAX", severity: "error", place: { kind: "none" }, message: "x" } },
  });
  expect(clientData(clientReports([broken, listed("Get.It", { role: "meta" })], 1)).tools).toEqual([]);
  const many = Array.from({ length: 78 }, (_, number) => listed(`tool${number}`));
  expect(clientReports(many, 3).flatMap(({ client, tooMany }) => (tooMany === undefined ? [] : [client.id]))).toEqual(["cursor"]);
});

test("as JSON each tool has its verdict by client, with the sources of what is refused", () => {
  const data = clientData(clientReports([listed("docs.find")], 3));
  expect(data).toMatchObject({
    server: "toolyard",
    tools: [
      {
        tool: "docs.find",
        verdicts: {
          "claude-code": { verdict: "changed", how: ['"." becomes "_" in the name'] },
          "copilot-cli": {
            verdict: "refused",
            reasons: [
              {
                effect: "fails-all",
                why: 'the name has "."',
                mend: "Name it docs_find.",
                sources: [expect.stringMatching(/^https:/), expect.any(String)],
              },
            ],
          },
          windsurf: { verdict: "as-is" },
        },
      },
    ],
  });
});
