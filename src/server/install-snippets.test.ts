import { expect, test } from "vitest";
import { installSnippet, installSnippets } from "./install-snippets.ts";

const launch = { command: "/opt/node 24/bin/node", args: ["/opt/toolyard/main.js", "serve", "-w", "/home/ann's/tools"] };

test("the texts for Claude Desktop, Cursor and VS Code are JSON with the command as it is", () => {
  const parsed = Object.fromEntries(
    installSnippets(launch, "linux")
      .filter((snippet) => snippet.format === "json")
      .map((snippet) => [snippet.client, JSON.parse(snippet.text)]),
  );
  expect(parsed).toEqual({
    "claude-desktop": { mcpServers: { toolyard: launch } },
    cursor: { mcpServers: { toolyard: launch } },
    vscode: { servers: { toolyard: { type: "stdio", ...launch } } },
  });
});

test("the command for Claude Code survives blanks and quotes", () => {
  expect(installSnippet("claude-code", launch, "linux").text).toBe(
    "claude mcp add toolyard -- '/opt/node 24/bin/node' /opt/toolyard/main.js serve -w '/home/ann'\\''s/tools'",
  );
  const windows = { name: "tools", command: "C:\\Program Files\\node.exe", args: ["serve"] };
  expect(installSnippet("claude-code", windows, "win32").text).toBe('claude mcp add tools -- "C:\\Program Files\\node.exe" serve');
});

test("Windows paths are escaped in JSON and the file is named as on that platform", () => {
  const snippet = installSnippet("claude-desktop", { command: "C:\\a b\\node.exe", args: [] }, "win32");
  expect(JSON.parse(snippet.text)).toEqual({ mcpServers: { toolyard: { command: "C:\\a b\\node.exe", args: [] } } });
  expect(snippet.where).toContain("%APPDATA%\\Claude\\");
});
