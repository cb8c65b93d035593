/** Looks for the secrets of the attack wherever one could have been left: in texts, files, and what a process holds. */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { MEMORY_NEEDLES, NEEDLES, type Needle } from "./canaries.ts";

/** Where a secret was found, and in which form. */
export interface Find {
  readonly place: string;
  readonly form: string;
}

/** Bytes read at once from a process; needles are far shorter than the overlap. */
const CHUNK_BYTES = 8 * 1024 * 1024;
const OVERLAP_BYTES = 4_096;

/** The unit of /proc/PID/pagemap on the platforms the tests run on. */
const PAGE_BYTES = 4_096;

/** Finds in bytes; JSON within JSON is looked at without its doubled backslashes too. */
export function searchBytes(place: string, bytes: Buffer, needles: readonly Needle[] = NEEDLES): readonly Find[] {
  const found = findsIn(place, bytes, needles);
  if (found.length > 0 || !bytes.includes("\\\\")) return found;
  return findsIn(place, Buffer.from(bytes.toString("latin1").replace(/\\+/g, "\\"), "latin1"), needles);
}

/** Finds in every file below a folder, and in the names of files; `bytes` counts what was read. */
export function searchFolder(folder: string): { readonly found: readonly Find[]; readonly files: number; readonly bytes: number } {
  const found: Find[] = [];
  let files = 0;
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    found.push(...searchBytes(`the name of ${path}`, Buffer.from(entry.name)));
    if (!entry.isFile()) continue;
    const content = readFileSync(path);
    files++;
    bytes += content.length;
    found.push(...searchBytes(path, content));
  }
  return { found, files, bytes };
}

/**
 * Finds in command line, environment and memory of a process: all mappings that can be read but those of unchanged files.
 * Throws where one of them cannot be read: a search that saw nothing proves nothing.
 */
export function searchProcess(pid: number): { readonly found: readonly Find[]; readonly bytes: number } {
  const found = ["cmdline", "environ"].flatMap((name) => searchBytes(`${name} of ${pid}`, readFileSync(`/proc/${pid}/${name}`)));
  const memory = openSync(`/proc/${pid}/mem`, "r");
  let bytes = 0;
  try {
    for (const { start, end, name } of mappingsOf(pid)) {
      for (let at = start; at < end; at += CHUNK_BYTES - OVERLAP_BYTES) {
        const part = Buffer.alloc(Math.min(CHUNK_BYTES, end - at));
        const read = readPart(memory, part, at);
        bytes += read;
        found.push(...findsIn(`memory of ${pid} (${name})`, part.subarray(0, read), MEMORY_NEEDLES));
        if (end - at <= CHUNK_BYTES) break;
      }
    }
  } finally {
    closeSync(memory);
  }
  if (bytes === 0) throw new Error(`Nothing of the memory of process ${pid} could be read.`);
  return { found, bytes };
}

interface Mapping {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Those that can be read, cut down to the pages that are there: V8 reserves gigabytes that nothing was ever written to. */
function mappingsOf(pid: number): readonly Mapping[] {
  const pagemap = openSync(`/proc/${pid}/pagemap`, "r");
  try {
    return readFileSync(`/proc/${pid}/maps`, "utf8")
      .split("\n")
      .flatMap((line): readonly Mapping[] => {
        const found = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ (\d+) *(.*)$/.exec(line);
        if (found === null) return [];
        const [, start = "", end = "", rights = "", inode = "", name = ""] = found;
        const isOfFile = inode !== "0" && !rights.includes("w");
        if (!rights.startsWith("r") || isOfFile || name.startsWith("[v")) return [];
        const whole = { start: Number.parseInt(start, 16), end: Number.parseInt(end, 16), name: name === "" ? "anonymous" : name };
        return presentParts(pagemap, whole);
      });
  } finally {
    closeSync(pagemap);
  }
}

/** By the flags of proc_pid_pagemap(5): bit 63, the page is in memory; bit 62, it is swapped out. */
function presentParts(pagemap: number, { start, end, name }: Mapping): readonly Mapping[] {
  const parts: { start: number; end: number; readonly name: string }[] = [];
  const flags = Buffer.alloc(64 * 1024);
  for (let at = start; at < end; ) {
    const wanted = Math.min(flags.length, ((end - at) / PAGE_BYTES) * 8);
    const read = readSync(pagemap, flags, 0, wanted, (at / PAGE_BYTES) * 8);
    if (read === 0) break;
    for (let offset = 0; offset + 8 <= read; offset += 8, at += PAGE_BYTES) {
      if ((flags.readUInt8(offset + 7) & 0b1100_0000) === 0) continue;
      const last = parts.at(-1);
      if (last?.end === at) last.end += PAGE_BYTES;
      else parts.push({ start: at, end: at + PAGE_BYTES, name });
    }
  }
  return parts;
}

/** Bytes read; 0 for a mapping that went away since it was listed. */
function readPart(memory: number, into: Buffer, at: number): number {
  try {
    return readSync(memory, into, 0, into.length, at);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EIO") return 0;
    throw error;
  }
}

function findsIn(place: string, bytes: Buffer, needles: readonly Needle[]): readonly Find[] {
  return needles.filter((needle) => bytes.includes(needle.bytes)).map(({ form }) => ({ place, form }));
}
