/** Names under which clients reach a tool: clients write some of them otherwise than the server. */

/** What a tool is called: to clients, and in tools.json where the workspace's prefix makes that another name. */
export interface ToolNames {
  readonly name: string;
  readonly plainName?: string;
}

/** The one that a client means: by its name, else by its name without prefix, else the only one whose safe form this is. */
export function findByName<Item>(items: readonly Item[], name: string, namesOf: (item: Item) => ToolNames): Item | undefined {
  const exact = items.find((item) => namesOf(item).name === name) ?? items.find((item) => namesOf(item).plainName === name);
  if (exact !== undefined || safeName(name) !== name) return exact;
  const likely = items.filter((item) => {
    const names = namesOf(item);
    return safeName(names.name) === name || (names.plainName !== undefined && safeName(names.plainName) === name);
  });
  return likely.length === 1 ? likely[0] : undefined;
}

/**
 * The name with "_" for everything but letters, digits, "_" and "-", which is all that the model services take.
 * Clients call a tool "docs.find" by "docs_find" (gemini-cli-extensions/workspace issue 168).
 */
function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}
