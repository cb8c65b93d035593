/**
 * The query of one hop: what the URL has, and the tool's parameters from tools.json, which win. There are two URLs from here
 * on: the one that is sent, and the one that is shown, in which no parameter of the tool stands.
 */
import { ToolError } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import type { Added } from "./request-headers.ts";

/** The URLs of one hop. */
export interface HopUrls {
  /** For the request line alone: it may hold secrets. */
  readonly sent: URL;
  /** For everything else: logs, redirects, `response.url`. */
  readonly shown: URL;
  /** The values among those added that hold secrets. */
  readonly secrets: readonly Secret[];
}

/**
 * Puts the tool's parameters into the URL. One of the same name, however it is percent-encoded and however often it stands
 * there, is replaced; for names in `exclusive` (`"replaceExisting": false` in tools.json) it is INVALID_REQUEST.
 */
export function mergeQuery(url: URL, added: Added, exclusive: ReadonlySet<string>): HopUrls {
  if (added.size === 0) return { sent: url, shown: url, secrets: [] };
  const parts = url.search.slice(1).split("&");
  const kept = parts.filter((part) => part !== "" && !added.has(nameOf(part)));
  const refused = parts.map(nameOf).find((name) => exclusive.has(name) && added.has(name));
  if (refused !== undefined) {
    throw new ToolError(
      "INVALID_REQUEST",
      `The URL has the query parameter ${JSON.stringify(refused)}, which tools.json sets with "replaceExisting": false. Remove it in one of them.`,
    );
  }
  const own = [...added].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value))}`);
  const secrets = [...added.values()].filter((value) => value instanceof Secret);
  return { sent: withQuery(url, [...kept, ...own]), shown: withQuery(url, kept), secrets };
}

function withQuery(url: URL, parts: readonly string[]): URL {
  const next = new URL(url);
  next.search = parts.join("&");
  return next;
}

/** The name in a part such as `k%65y=1`, as servers read it. */
function nameOf(part: string): string {
  for (const name of new URLSearchParams(part).keys()) return name;
  return "";
}

function textOf(value: Secret | string): string {
  // A lone surrogate cannot be encoded; what tools.json can hold of them becomes U+FFFD.
  return (value instanceof Secret ? value.reveal() : value).toWellFormed();
}
