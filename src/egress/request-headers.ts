/**
 * The headers of one hop: the script's own, checked, and the tool's from tools.json, which win. Messages name headers
 * and never hold their values.
 */
import { ToolError } from "../core/errors.ts";
import { HTTP_TOKEN, isConnectionHeader, isHeaderValue } from "../core/http-header.ts";
import { Secret } from "../core/secret.ts";

/** Headers or query parameters that the tool adds to a hop, by name; a `Secret` was rendered from a template. */
export type Added = ReadonlyMap<string, Secret | string>;

/** Headers of one hop. */
export interface HopHeaders {
  /** Lower-case names and values as sent. */
  readonly values: ReadonlyMap<string, string>;
  /** The rendered values among them that hold secrets. */
  readonly secrets: readonly Secret[];
}

/** Number of headers a script may set; more is no request that a server takes. */
const MAX_HEADERS = 100;

/** Names and values of a script's headers together, in UTF-16 units; servers take 8 to 16 KiB. */
const MAX_HEADER_CHARACTERS = 32_768;

/** The script's headers with lower-case names. Throws INVALID_REQUEST naming the header. */
export function parseScriptHeaders(headers: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const parsed = new Map<string, string>();
  let characters = 0;
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (!HTTP_TOKEN.test(key)) throw invalid("A header name of the request is too long or has characters that are not allowed there");
    if (isConnectionHeader(key)) throw invalid(`A script cannot set the header "${key}"; it is made by the server`);
    if (!isHeaderValue(value)) throw invalid(`The value of the header "${key}" has line breaks or characters beyond Latin-1`);
    if (parsed.has(key)) throw invalid(`The header "${key}" is given twice, in different letter case`);
    characters += key.length + value.length;
    if (parsed.size >= MAX_HEADERS || characters > MAX_HEADER_CHARACTERS) {
      throw invalid(`The request has more than ${MAX_HEADERS} headers, or more than ${MAX_HEADER_CHARACTERS} characters in them`);
    }
    parsed.set(key, value);
  }
  return parsed;
}

/**
 * Both sets of headers as one. A header of the tool replaces the script's of the same name; for names in `exclusive`
 * (lower case; `"replaceExisting": false` in tools.json) the script must not set it: INVALID_REQUEST.
 */
export function mergeHeaders(own: ReadonlyMap<string, string>, added: Added, exclusive: ReadonlySet<string>): HopHeaders {
  const values = new Map([["user-agent", "toolyard"], ["accept", "*/*"], ["accept-encoding", "gzip, deflate, br, zstd"], ...own]);
  const secrets: Secret[] = [];
  for (const [name, value] of added) {
    const key = name.toLowerCase();
    if (exclusive.has(key) && own.has(key)) {
      throw invalid(`The script sets the header "${key}", which tools.json sets with "replaceExisting": false. Remove it in one of them`);
    }
    const text = value instanceof Secret ? value.reveal() : value;
    if (!isHeaderValue(text)) throw invalid(`The value that tools.json gives for the header "${key}" cannot be sent as a header`);
    values.set(key, text);
    if (value instanceof Secret) secrets.push(value);
  }
  return { values, secrets };
}

/** The script's headers for a hop to another origin: without what belongs to the first one. */
export function withoutCredentials(own: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...own].filter(([name]) => name !== "authorization" && name !== "cookie"));
}

/** The script's headers for a hop whose body was dropped. */
export function withoutContent(own: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...own].filter(([name]) => !name.startsWith("content-")));
}

function invalid(message: string): ToolError {
  return new ToolError("INVALID_REQUEST", `${message}.`);
}
