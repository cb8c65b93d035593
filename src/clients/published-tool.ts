import type { JsonObject } from "../core/json.ts";
import { publishSchema } from "../schema/publish-schema.ts";
import { changeTexts } from "./note-text.ts";

/** A tool in the form in which clients get it. */
export interface PublishedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** How that form differs from what the user wrote, each in a few words; empty: it does not. */
  readonly changes: readonly string[];
}

/** The published form of a tool as the catalog lists it. */
export function publishedTool({
  name,
  description,
  parameters,
}: {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}): PublishedTool {
  const { published, notes } = publishSchema(parameters);
  return { name, description, inputSchema: published, changes: changeTexts(notes) };
}
