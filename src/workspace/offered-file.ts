/** Files that prompts and resources give to clients: what may be given, its type, and reading it as it is now. */
import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import type { FindingCode, Place } from "../core/problem.ts";
import { decodeText } from "./decode-text.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";
import { type InsideFile, readInsideFile } from "./inside-file.ts";
import { placeOffsets } from "./places.ts";
import { placesIn } from "./position.ts";
import { badFile } from "./script-source.ts";

/** A file that can be given, or why not. */
export type OfferedFile =
  | {
      readonly kind: "good";
      readonly sha256: string;
      readonly bytes: number;
      /** The names of the `{{name}}` places in its text, with where each stands first; undefined where it is no text. */
      readonly places: ReadonlyMap<string, Place> | undefined;
      /** Characters in its text that hide text from people, such as `U+E0041`. */
      readonly hidden: readonly string[];
    }
  | { readonly kind: "bad"; readonly code: FindingCode; readonly message: string };

/** The content of a file. */
export type OfferedContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "bad"; readonly message: string };

/** Types by the ending of the file; any other is text where it is UTF-8. IANA's names. */
const TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown",
  txt: "text/plain",
  html: "text/html",
  css: "text/css",
  csv: "text/csv",
  js: "text/javascript",
  mjs: "text/javascript",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  xml: "application/xml",
  pdf: "application/pdf",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
};

/** The type of a file by its ending; without a known one, text. */
export function typeOfName(file: string): string {
  const ending = /\.([A-Za-z0-9]+)$/.exec(file)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(TYPES, ending) ? (TYPES[ending] ?? "text/plain") : "text/plain";
}

/** True for types that are given as text. */
export function isTextType(mimeType: string): boolean {
  return /^text\/|^application\/(?:json|xml|yaml|javascript|toml|x-ndjson)$|\+(?:json|xml|yaml)$/.test(mimeType);
}

/** Judges what was read of an offered file. */
export function toOfferedFile(root: string, file: string, read: InsideFile, sha256: string, maxBytes: number): OfferedFile {
  if (read.kind !== "read") {
    const { code, message } = badFile(file, read, maxBytes);
    return { kind: "bad", code, message };
  }
  if (isHidden(root, read.realPath)) return { kind: "bad", code: "PATH_OUTSIDE", message: hiddenMessage(file) };
  const decoded = decodeText(read.bytes);
  const text = decoded.kind === "text" ? decoded.text : undefined;
  const places = text === undefined ? undefined : placesOf(file, text);
  return { kind: "good", sha256, bytes: read.bytes.length, places, hidden: findHiddenCharacters(text ?? "").refused };
}

function placesOf(file: string, text: string): ReadonlyMap<string, Place> {
  const placeAt = placesIn(file, text);
  return new Map([...placeOffsets(text)].map(([name, offset]) => [name, placeAt(offset)]));
}

/** Reads a file as it is now, as text or as bytes by its type. */
export function readOfferedFile(
  root: string,
  file: string,
  { mimeType, maxBytes }: { readonly mimeType: string; readonly maxBytes: number },
): OfferedContent {
  const read = readInsideFile(root, file, maxBytes);
  if (read.kind !== "read") return { kind: "bad", message: badFile(file, read, maxBytes).message };
  if (isHidden(root, read.realPath)) return { kind: "bad", message: hiddenMessage(file) };
  if (!isTextType(mimeType)) return { kind: "bytes", bytes: read.bytes };
  const decoded = decodeText(read.bytes);
  return decoded.kind === "text" ? decoded : { kind: "bad", message: notTextMessage(file, mimeType, decoded.reason) };
}

/** What is said of a file whose type is text and whose bytes are not. */
export function notTextMessage(file: string, mimeType: string, reason: string): string {
  return `${file} is given as ${mimeType}, which is text, but ${reason}. Set "mimeType" to what it is.`;
}

/** Files such as .env and .git/config are no content, even where a link with another name leads to them. */
function isHidden(root: string, realPath: string): boolean {
  return relative(realpathSync.native(root), realPath)
    .split(sep)
    .some((part) => part.startsWith("."));
}

function hiddenMessage(file: string): string {
  return `${file} is a hidden file or lies in a hidden folder (a name that begins with "."); such files are not given to clients.`;
}
