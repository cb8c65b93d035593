import { cutText } from "../core/text.ts";
import type { PublishedSchema } from "./publish-schema.ts";

/** Most characters of rules that a description gets; the schema's own description has them whole. */
const RULE_CHARACTERS = 300;

/**
 * A tool's description as clients get it: with the rules that its published parameters no longer hold. Some models are
 * shown the descriptions of parameters but not that of the whole schema.
 */
export function publishedDescription(description: string, { notes }: PublishedSchema): string {
  const rules = notes.flatMap((note) => (note.kind === "flattened" && note.pointer === "" ? [note.rule] : [])).join(" ");
  return rules === "" ? description : `${description}\n${cutText(rules, RULE_CHARACTERS)}`;
}
