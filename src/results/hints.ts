import type { PageRange } from "../core/tool.ts";

/** How a caller can read on: by the tool ReadWorkspaceResult, or by a resource where that tool is not offered. */
export type ReadHint = "tool" | "resource";

/** Scheme and path of kept results as resources. */
const RESULT_URI = "toolyard://results/";

/** The URI of a kept result. */
export function resultUri(id: string): string {
  return `${RESULT_URI}${id}`;
}

/** A result that was looked for by its URI. */
export interface ResultAddress {
  readonly id: string;
  readonly range: PageRange;
}

/** Id and range (`?offset=0&limit=1000`, both optional) of a URI of {@link resultUri}; undefined for any other text. */
export function parseResultUri(uri: string): ResultAddress | undefined {
  const [, id, query] = /^toolyard:\/\/results\/([0-9a-v]{26})(?:\?([a-z0-9=&]{1,100}))?$/.exec(uri) ?? [];
  if (id === undefined) return undefined;
  const range: { offset?: number; limit?: number } = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if ((name !== "offset" && name !== "limit") || !/^\d{1,12}$/.test(value)) return undefined;
    range[name] = Number(value);
  }
  return { id, range };
}

/** What to do to read the rest, as a sentence. `id` undefined: it could not be kept. */
export function readOnText(id: string | undefined, { hint, offset, keptMs }: ReadOnOptions): string {
  if (id === undefined) return "The rest could not be kept. Ask for less.";
  const how =
    hint === "tool"
      ? `ReadWorkspaceResult {"id":"${id}","offset":${offset}}`
      : `the resource ${resultUri(id)}${offset === 0 ? "" : `?offset=${offset}`}`;
  return `Read on with ${how}; the whole is kept for ${timeText(keptMs)}.`;
}

/** See {@link readOnText}. */
export interface ReadOnOptions {
  readonly hint: ReadHint;
  readonly offset: number;
  readonly keptMs: number;
}

function timeText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes === 60) return "an hour";
  return minutes < 1 ? `${Math.round(ms / 1_000)} s` : `${minutes} min`;
}
