import { parseTemplate } from "../core/secret-template.ts";
import type { ToolEntry } from "../workspace/tool-entry.ts";
import { filesAsTheyAre } from "./workspace-choice.ts";

/**
 * Which tools of the workspace name which stored secret, by the secret's name in the vault; for agents with names of their
 * own, both. Read from the files alone, so a tool whose script is broken counts too; empty where the files cannot be read.
 */
export function toolsOfSecrets(root: string): ReadonlyMap<string, readonly string[]> {
  const { tools, settings } = filesAsTheyAre(root);
  const users = new Map<string, Set<string>>();
  for (const entry of tools) {
    for (const name of namesIn(entry)) {
      const others = settings.agentSecrets.flatMap(({ names }) => names.flatMap(([own, stored]) => (own === name ? [stored] : [])));
      for (const stored of [name, ...others]) users.set(stored, (users.get(stored) ?? new Set()).add(entry.name));
    }
  }
  return new Map([...users].map(([name, tools]) => [name, [...tools].sort()]));
}

function namesIn({ headers = [], query = [], auth }: ToolEntry): readonly string[] {
  const texts = [...headers, ...query].map(({ value }) => value);
  const client = auth === undefined ? [] : [auth.clientId, auth.clientSecret];
  return [...texts, ...client].flatMap((text) => parseTemplate(text).names);
}
