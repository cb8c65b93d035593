/** What each client takes, as found in the places named. A new rule is an entry here; nothing else has to change. */
import type { Client, ClientRule } from "./client-rule.ts";

const SAFE = "A-Za-z0-9_-";
const SAFE_AND_DOT = "A-Za-z0-9_.-";

/** The model service behind Claude Code and Claude Desktop. */
const ANTHROPIC_SCHEMAS: readonly ClientRule[] = [
  {
    demand: { kind: "root-without", keywords: ["anyOf", "oneOf", "allOf"] },
    effect: "fails-all",
    sources: ["https://github.com/anthropics/claude-code/issues/5973", "https://github.com/makenotion/notion-mcp-server/issues/341"],
  },
  {
    demand: { kind: "property-keys", allowed: SAFE_AND_DOT, max: 64 },
    effect: "fails-all",
    sources: ["https://github.com/anthropics/claude-code/issues/34771", "https://github.com/anthropics/claude-code/issues/24272"],
  },
];

/** Every client there is a proven rule for. */
export const CLIENTS: readonly Client[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    names: { prefix: "mcp__{server}__", kept: SAFE },
    rules: [
      {
        demand: { kind: "name-length", max: 64 },
        effect: "fails-all",
        sources: ["https://github.com/anthropics/claude-code/issues/20643", "https://github.com/mims-harvard/ToolUniverse/issues/65"],
      },
      {
        demand: { kind: "name-characters", allowed: SAFE },
        effect: "changed",
        sources: ["https://github.com/MeshInspector/MeshLib/pull/6150", "https://github.com/barryw/ImmichMCP/pull/8"],
      },
      {
        demand: { kind: "names-apart" },
        effect: "left-out",
        sources: ["https://github.com/MeshInspector/MeshLib/pull/6150"],
      },
      {
        demand: { kind: "description-length", max: 2_048 },
        effect: "changed",
        sources: ["https://github.com/anthropics/claude-code/issues/87650"],
      },
      ...ANTHROPIC_SCHEMAS,
    ],
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    names: { prefix: "" },
    rules: [
      {
        demand: { kind: "name-length", max: 64 },
        effect: "fails-all",
        sources: ["https://github.com/mims-harvard/ToolUniverse/issues/3"],
      },
      {
        demand: { kind: "name-characters", allowed: SAFE },
        effect: "fails-all",
        sources: ["https://github.com/barryw/ImmichMCP/issues/3", "https://github.com/loomle/loomle/issues/168"],
      },
      ...ANTHROPIC_SCHEMAS,
    ],
  },
  {
    id: "cursor",
    title: "Cursor",
    names: { prefix: "{server}" },
    rules: [
      {
        // A name of 59 characters with a server of one is refused as "60 exceeds 60".
        demand: { kind: "name-length", max: 59 },
        effect: "left-out",
        sources: ["https://github.com/ComposioHQ/composio/issues/2788", "https://github.com/PostHog/posthog/pull/51483"],
      },
      {
        demand: { kind: "name-characters", allowed: SAFE },
        effect: "left-out",
        sources: ["https://github.com/webstudio-is/webstudio/issues/5960", "https://github.com/gemini-cli-extensions/workspace/issues/168"],
      },
      {
        demand: { kind: "name-without", text: "__" },
        effect: "left-out",
        sources: ["https://github.com/cursor/cursor/issues/3452"],
      },
      {
        // 40 in 2025, of which the rest was not sent; a warning from 80 on since.
        demand: { kind: "tool-count", max: 80 },
        effect: "left-out",
        sources: ["https://github.com/Snowflake-Labs/mcp/issues/77", "https://github.com/anyproto/anytype-mcp/issues/5"],
      },
    ],
  },
  {
    id: "vscode",
    title: "VS Code",
    // The server's part is at most 18 characters with "mcp_"; a name over 64 in all is cut at its end.
    names: { prefix: "mcp_{server}_", kept: SAFE, cut: { max: 64, head: 64, tail: 0, joint: "" } },
    rules: [
      {
        demand: { kind: "name-length", max: 64 },
        effect: "changed",
        sources: ["https://github.com/microsoft/vscode/issues/243602"],
      },
      {
        demand: { kind: "name-characters", allowed: SAFE },
        effect: "changed",
        sources: ["https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/mcp/common/mcpServer.ts"],
      },
      {
        demand: { kind: "names-apart" },
        effect: "left-out",
        sources: ["https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/mcp/common/mcpServer.ts"],
      },
      {
        demand: { kind: "array-items" },
        effect: "left-out",
        sources: ["https://github.com/microsoft/vscode/issues/284536", "https://github.com/microsoft/vscode/issues/246119"],
      },
      {
        demand: { kind: "tool-count", max: 128 },
        effect: "fails-all",
        sources: ["https://github.com/microsoft/vscode/issues/337428", "https://github.com/microsoft/vscode-copilot-release/issues/11653"],
      },
    ],
  },
  {
    id: "copilot-cli",
    title: "Copilot CLI",
    names: { prefix: "" },
    rules: [
      {
        demand: { kind: "name-characters", allowed: SAFE },
        effect: "fails-all",
        sources: ["https://github.com/github/copilot-cli/issues/1879", "https://github.com/github/copilot-cli/issues/2581"],
      },
    ],
  },
  {
    id: "windsurf",
    title: "Windsurf",
    names: { prefix: "" },
    rules: [
      {
        demand: { kind: "tool-count", max: 100 },
        effect: "left-out",
        sources: ["https://docs.windsurf.com/pt-BR/windsurf/cascade/mcp", "https://github.com/DaxianLee/cocos-mcp-server/issues/11"],
      },
    ],
  },
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    names: { prefix: "mcp_{server}_", kept: "A-Za-z0-9_.:-", cut: { max: 63, head: 30, tail: 30, joint: "..." } },
    rules: [
      {
        demand: { kind: "name-length", max: 63 },
        effect: "changed",
        sources: ["https://github.com/google-gemini/gemini-cli/pull/20987"],
      },
      {
        demand: { kind: "names-apart" },
        effect: "left-out",
        sources: ["https://github.com/google-gemini/gemini-cli/pull/28971"],
      },
      {
        // It runs the 1.x SDK on zod 3.25.76, which refuses the list; all tools of the server go with it.
        demand: { kind: "no-top-keys", keys: ["constructor"] },
        effect: "left-out",
        sources: [
          "https://github.com/colinhacks/zod/issues/5066",
          "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/package.json",
        ],
      },
    ],
  },
  {
    id: "gemini-api",
    title: "Gemini API",
    names: { prefix: "" },
    rules: [
      {
        demand: { kind: "name-length", max: 64 },
        effect: "fails-all",
        sources: ["https://github.com/mcp-router/mcp-router/issues/176"],
      },
      {
        demand: { kind: "name-start", allowed: "A-Za-z_" },
        effect: "fails-all",
        sources: ["https://github.com/mcp-router/mcp-router/issues/176", "https://github.com/cline/cline/issues/7339"],
      },
      {
        demand: { kind: "text-enums" },
        effect: "fails-all",
        sources: ["https://github.com/BrokkAi/bifrost/issues/25", "https://github.com/ihor-sokoliuk/mcp-searxng/issues/89"],
      },
      {
        demand: { kind: "array-items" },
        effect: "fails-all",
        sources: ["https://github.com/cline/cline/issues/7339"],
      },
      {
        // "items: {}" is taken (AnswerDotAI/toolslm pull request 68), so elements need none. Gemini CLI sends JSON Schema, where no
        // type is needed; for some weeks of 2025 it left such tools out (its pull requests 5694 and 9574).
        demand: { kind: "typed-parameters" },
        effect: "fails-all",
        sources: [
          "https://github.com/google-gemini/gemini-cli/issues/2282",
          "https://github.com/QuantumNous/new-api/issues/3022",
          "https://github.com/decolua/9router/issues/359",
        ],
      },
    ],
  },
  {
    id: "codex",
    title: "Codex",
    // Where two names become one, or one is too long, a hash is added: nothing is lost.
    names: { prefix: "mcp__{server}__", kept: "A-Za-z0-9_" },
    rules: [
      {
        demand: { kind: "name-length", max: 64 },
        effect: "changed",
        sources: ["https://github.com/openai/codex/blob/main/codex-rs/codex-mcp/src/tools.rs"],
      },
      {
        demand: { kind: "name-characters", allowed: "A-Za-z0-9_" },
        effect: "changed",
        sources: ["https://github.com/openai/codex/pull/16944", "https://github.com/openai/codex/issues/8174"],
      },
    ],
  },
  {
    id: "openai-api",
    title: "OpenAI API",
    names: { prefix: "" },
    rules: [
      {
        demand: { kind: "name-length", max: 64 },
        effect: "fails-all",
        sources: [
          "https://v03.api.js.langchain.com/interfaces/_langchain_openai.OpenAIClient.FunctionDefinition.html",
          "https://github.com/mastra-ai/mastra/issues/6302",
        ],
      },
      {
        demand: { kind: "name-characters", allowed: SAFE },
        effect: "fails-all",
        sources: ["https://v03.api.js.langchain.com/interfaces/_langchain_openai.OpenAIClient.FunctionDefinition.html"],
      },
      {
        demand: { kind: "description-length", max: 1_024 },
        effect: "fails-all",
        sources: ["https://github.com/langchain-ai/open_deep_research/issues/80", "https://github.com/getsentry/sentry-mcp/issues/106"],
      },
      {
        demand: { kind: "root-without", keywords: ["anyOf", "oneOf", "allOf", "enum", "const", "not"] },
        effect: "fails-all",
        sources: ["https://github.com/nspady/google-calendar-mcp/issues/39", "https://github.com/langchain-ai/langchainjs/issues/9804"],
      },
      {
        demand: { kind: "array-items" },
        effect: "fails-all",
        sources: [
          "https://github.com/spacelift-io/spacectl/issues/402",
          "https://github.com/streamnative/streamnative-mcp-server/issues/26",
        ],
      },
    ],
  },
  {
    id: "bedrock",
    title: "Bedrock",
    names: { prefix: "" },
    rules: [
      {
        demand: { kind: "name-length", max: 64 },
        effect: "fails-all",
        sources: ["https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html"],
      },
      {
        demand: { kind: "name-characters", allowed: SAFE },
        effect: "fails-all",
        sources: ["https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html"],
      },
    ],
  },
];
