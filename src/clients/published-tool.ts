import type { JsonObject } from "../core/json.ts";
import { publishTool } from "../schema/publish-schema.ts";
import { publishedDescription } from "../schema/tool-description.ts";
import { changeTexts, outputChangeTexts } from "./note-text.ts";

/** A tool in the form in which clients get it. */
export interface PublishedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** How that form, or that of its results, differs from what the user wrote, each in a few words; empty: it does not. */
  readonly changes: readonly string[];
}

/** The published form of a tool as the catalog lists it. */
export function publishedTool({
  name,
  description,
  parameters,
  output,
}: {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly output?: JsonObject;
}): PublishedTool {
  const schemas = publishTool({ parameters, ...(output === undefined ? {} : { output }) });
  const schema = schemas.parameters;
  return {
    name,
    description: publishedDescription(description, schema),
    inputSchema: schema.published,
    changes: [...changeTexts(schema.notes), ...(schemas.output === undefined ? [] : outputChangeTexts(schemas.output))],
  };
}
