/** Texts to paste into MCP clients. Pure: paths and command come in, nothing is written. */

/** Clients there is a text for. */
const CLIENTS = ["claude-desktop", "claude-code", "cursor", "vscode"] as const;

/** One of {@link CLIENTS}. */
export type ClientName = (typeof CLIENTS)[number];

/** How a client starts the server. Absolute paths: clients with a window have a PATH of their own. */
export interface LaunchCommand {
  /** Name of the server in the client. Default `toolyard`. */
  readonly name?: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What to paste, and where. */
export interface Snippet {
  readonly client: ClientName;
  readonly title: string;
  /** File the text goes into, or what to do with it. */
  readonly where: string;
  readonly format: "json" | "shell";
  readonly text: string;
}

/** The text for one client. `platform` decides paths and quoting. */
export function installSnippet(client: ClientName, launch: LaunchCommand, platform: NodeJS.Platform): Snippet {
  const { name = "toolyard", command, args } = launch;
  const entry = { command, args };
  switch (client) {
    case "claude-desktop": {
      const folder =
        platform === "win32"
          ? "%APPDATA%\\Claude\\"
          : platform === "darwin"
            ? "~/Library/Application Support/Claude/"
            : "~/.config/Claude/";
      return json(client, "Claude Desktop", `${folder}claude_desktop_config.json, then restart the app`, { mcpServers: { [name]: entry } });
    }
    case "claude-code": {
      const words = ["claude", "mcp", "add", name, "--", command, ...args];
      return {
        client,
        title: "Claude Code",
        where: "in a terminal, in your project",
        format: "shell",
        text: words.map((word) => quoted(word, platform)).join(" "),
      };
    }
    case "cursor":
      return json(client, "Cursor", ".cursor/mcp.json in your project, or ~/.cursor/mcp.json", { mcpServers: { [name]: entry } });
    case "vscode":
      return json(client, "VS Code", ".vscode/mcp.json in your project", { servers: { [name]: { type: "stdio", ...entry } } });
  }
}

/** The texts for all clients, in the order of {@link CLIENTS}. */
export function installSnippets(launch: LaunchCommand, platform: NodeJS.Platform): readonly Snippet[] {
  return CLIENTS.map((client) => installSnippet(client, launch, platform));
}

function json(client: ClientName, title: string, where: string, value: object): Snippet {
  return { client, title, where, format: "json", text: JSON.stringify(value, undefined, 2) };
}

function quoted(word: string, platform: NodeJS.Platform): string {
  if (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word)) return word;
  // cmd.exe and PowerShell both take double quotes; a path cannot hold one there.
  return platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
