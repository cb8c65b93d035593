/** A script as it will run, from the bytes that were hashed. */
import type { FindingCode, Place, Problem } from "../core/problem.ts";
import { leadingComments } from "./bundle/leading-comments.ts";
import type { ModuleScript } from "./bundle/make-bundle.ts";
import type { ReadyBundle } from "./bundle/script-bundles.ts";
import { createPlaceMapper, type PlaceMapper } from "./bundle/source-places.ts";
import { decodeText } from "./decode-text.ts";
import type { InsideFile } from "./inside-file.ts";
import { type PlaceFinder, placesIn, placeWithLines } from "./position.ts";
import { checkScript } from "./script-check.ts";
import type { EntryName } from "./script-entry.ts";
import { findTimeouts, type TimeoutComment } from "./script-timeout.ts";

/** A script that can run. */
export interface ScriptSource {
  /** Path relative to the workspace, "/" between folders; it is what error positions name. */
  readonly file: string;
  /** SHA-256 of the file's bytes, in hex. */
  readonly sha256: string;
  /** Text of a function's body: module syntax is taken out, lines and columns are those of the file. */
  readonly source: string;
  /** Name of the function in `source` to call. */
  readonly entry: EntryName;
  /** Texts of the author's own files by path, for the lines around an error. */
  readonly texts: ReadonlyMap<string, string>;
  /** Where in the files a position of `source` is; absent where the positions are those of the one file. */
  readonly mapPlace?: PlaceMapper;
  /** The least `@timeout` of the leading comments, in milliseconds. */
  readonly timeoutMs?: number;
  readonly timeoutPlace?: Place;
}

/** The time limit that a script sets itself. */
interface ScriptTimeout {
  readonly timeoutMs?: number;
  readonly timeoutPlace?: Place;
}

/** A script, a module of which a script is made by bundling, or why it cannot run: by what the file is, or by a place in its text. */
export type ScriptOutcome =
  | { readonly kind: "module"; readonly module: ModuleScript; readonly timeout: ScriptTimeout; readonly warnings: readonly Problem[] }
  | { readonly kind: "good"; readonly script: ScriptSource; readonly warnings: readonly Problem[] }
  | { readonly kind: "bad-file"; readonly code: FindingCode; readonly message: string }
  | { readonly kind: "bad-text"; readonly problem: Problem };

/** Judges what was read for a script; `file` is its path relative to the workspace, `sha256` that of the bytes. Never throws. */
export function toScript(
  file: string,
  read: InsideFile,
  { maxBytes, sha256 }: { readonly maxBytes: number; readonly sha256: string },
): ScriptOutcome {
  if (read.kind !== "read") return badFile(file, read, maxBytes);
  const decoded = decodeText(read.bytes);
  if (decoded.kind === "not-text")
    return { kind: "bad-file", code: "FILE_UNREADABLE", message: `${file} cannot be read: ${decoded.reason}.` };
  const { text } = decoded;
  const placeAt = placesIn(file, text);
  const language = /\.m?ts$/.test(file) ? "ts" : "js";
  const checked = language === "ts" ? ({ ok: true, kind: "module" } as const) : checkScript(text);
  if (!checked.ok) {
    const { code, message, offset } = checked;
    return { kind: "bad-text", problem: { code, severity: "error", place: withLines(placeAt(offset), text), message } };
  }
  const timeouts = checked.kind === "plain" ? checked.timeouts : findTimeouts(leadingComments(text));
  const timeout = leastTimeout(timeouts, placeAt);
  const warnings = timeouts.flatMap((found) => (found.kind === "unreadable" ? [unreadableTimeout(found, placeAt)] : []));
  if (checked.kind === "module") return { kind: "module", module: { file, sha256, text, language }, timeout, warnings };
  const { source, entry } = checked;
  return { kind: "good", script: { file, sha256, source, entry, texts: new Map([[file, text]]), ...timeout }, warnings };
}

/** The script that a bundle is. */
export function bundledScript(file: string, bundle: ReadyBundle, timeout: ScriptTimeout): ScriptSource {
  const { key, source, map, texts } = bundle;
  return { file, sha256: key, source, entry: "$main", texts, mapPlace: createPlaceMapper(map), ...timeout };
}

/** The script of a module whose bundle is not made yet; nothing of it can be called. */
export function unbundledScript({ file, sha256, text }: ModuleScript, timeout: ScriptTimeout): ScriptSource {
  return { file, sha256, source: "", entry: "$main", texts: new Map([[file, text]]), ...timeout };
}

function leastTimeout(timeouts: readonly TimeoutComment[], placeAt: PlaceFinder): ScriptTimeout {
  const limits = timeouts.filter((timeout) => timeout.kind === "limit");
  const least = limits.reduce<(typeof limits)[number] | undefined>(
    (best, limit) => (best === undefined || limit.timeoutMs < best.timeoutMs ? limit : best),
    undefined,
  );
  return least === undefined ? {} : { timeoutMs: least.timeoutMs, timeoutPlace: placeAt(least.offset) };
}

function withLines(place: Place, text: string): Place {
  return place.kind === "position" ? placeWithLines(place.file, text, place.line, place.column) : place;
}

/** What a file that cannot be read is called in messages; shared by scripts and the two files of settings. */
export function badFile(
  file: string,
  read: Exclude<InsideFile, { kind: "read" }>,
  maxBytes: number,
): Extract<ScriptOutcome, { kind: "bad-file" }> {
  const bad = (code: FindingCode, message: string): Extract<ScriptOutcome, { kind: "bad-file" }> => ({ kind: "bad-file", code, message });
  switch (read.kind) {
    case "missing":
      return bad("FILE_MISSING", `${file} is not there.`);
    case "outside":
      return bad(
        "PATH_OUTSIDE",
        `${file} does not lie in the workspace once symbolic links are followed, or lies in the server's own folder.`,
      );
    case "not-a-file":
      return bad("FILE_UNREADABLE", `${file} is not a regular file.`);
    case "too-large":
      return bad("FILE_TOO_LARGE", `${file} has ${read.bytes} bytes; at most ${maxBytes} are read.`);
    case "unreadable":
      return bad("FILE_UNREADABLE", `${file} cannot be read: ${read.reason}.`);
  }
}

function unreadableTimeout(timeout: { readonly written: string; readonly offset: number }, placeAt: PlaceFinder): Problem {
  const found = timeout.written === "" ? "nothing" : JSON.stringify(timeout.written.slice(0, 60));
  const message = `@timeout is followed by ${found}; write 30, 30s, 500ms or 2m. It is ignored.`;
  return { code: "INVALID_VALUE", severity: "warning", place: placeAt(timeout.offset), message };
}
