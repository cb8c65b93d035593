import type { JsonObject } from "./json.ts";
import { cutText, nearestName } from "./text.ts";
import type { CallContext } from "./tool.ts";

/** Longest unknown key and largest number of them that a warning repeats. */
const SHOWN_CHARACTERS = 60;
const SHOWN_KEYS = 5;

/**
 * A warning of arguments that a tool of the server's own does not know, for its answer; undefined where it knows all. It goes into
 * the log of the call as well. They are ignored and not refused: models add keys of their own making, and the call is clear
 * without them; but a model that misspelled one has to read of it.
 */
export function warnIgnored(
  { log }: Pick<CallContext, "log">,
  tool: string,
  args: JsonObject,
  known: readonly string[],
): string | undefined {
  const unknown = unknownKeys(Object.keys(args), known);
  if (unknown === undefined) return undefined;
  const takes = known.length === 0 ? "no arguments" : known.join(" and ");
  const text = `${tool} ignored ${unknown}; it takes ${takes}.`;
  log({ level: "warn", text });
  return text;
}

/** Those of the given keys that are not known, each with the known one that may be meant, at most 5 of them; undefined where all are. */
export function unknownKeys(given: readonly string[], known: readonly string[]): string | undefined {
  const unknown = given.filter((key) => !known.includes(key));
  if (unknown.length === 0) return undefined;
  const shown = unknown.slice(0, SHOWN_KEYS).map((key) => {
    const near = nearestKey(key, known);
    return `"${cutText(key, SHOWN_CHARACTERS)}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
  });
  const more = unknown.length > SHOWN_KEYS ? ` and ${unknown.length - SHOWN_KEYS} more` : "";
  return `${shown.join(", ")}${more}`;
}

/** Models also write a longer name around the one that is meant: "toolName", "tool_name", "names". */
function nearestKey(key: string, known: readonly string[]): string | undefined {
  const wanted = cutText(key, SHOWN_CHARACTERS).toLowerCase();
  return nearestName(key, known) ?? known.find((name) => wanted.includes(name.toLowerCase()));
}
