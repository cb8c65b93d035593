import type { JsonObject } from "./json.ts";
import { cutText, nearestName } from "./text.ts";
import type { CallContext } from "./tool.ts";

/** Longest unknown key and largest number of them that a warning repeats. */
const SHOWN_CHARACTERS = 60;
const SHOWN_KEYS = 5;

/**
 * Warns, in the log of the call, of arguments that a tool of the server's own does not know. They are ignored and not
 * refused: models add keys of their own making, and the call is clear without them.
 */
export function warnIgnored({ log }: Pick<CallContext, "log">, tool: string, args: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(args).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const shown = unknown.slice(0, SHOWN_KEYS).map((key) => {
    const near = nearestName(key, known);
    return `"${cutText(key, SHOWN_CHARACTERS)}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
  });
  const more = unknown.length > SHOWN_KEYS ? ` and ${unknown.length - SHOWN_KEYS} more` : "";
  const takes = known.length === 0 ? "no arguments" : known.join(" and ");
  log({ level: "warn", text: `${tool} ignored ${shown.join(", ")}${more}; it takes ${takes}.` });
}
