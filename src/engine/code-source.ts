import type { Tool, ToolSource } from "../core/tool.ts";

/** A source of tools written in code; its list never changes. */
export function createCodeSource(name: string, role: ToolSource["role"], tools: readonly Tool[]): ToolSource {
  const set = { generation: 0, tools, broken: [], problems: [] };
  return { name, role, current: () => set, refresh: async () => undefined, onChange: () => () => undefined };
}
