// The ways in which editors and version control write a file, as seen by somebody who reads it meanwhile.
import { closeSync, copyFileSync, openSync, renameSync, rmSync, utimesSync, writeFileSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

/** One way to save; settles once the file is complete. */
export type SaveStyle = (path: string, text: string) => Promise<void>;

/** Write beside, then rename over it (vim, JetBrains). */
const renameOver: SaveStyle = async (path, text) => {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
};

/** Truncate in place and write in pieces, others running in between (many editors and scripts). */
const inPlace: SaveStyle = async (path, text) => {
  const descriptor = openSync(path, "w");
  const size = Math.ceil(text.length / 5);
  for (let start = 0; start < text.length; start += size) {
    await setImmediate();
    writeSync(descriptor, text.slice(start, start + size));
  }
  closeSync(descriptor);
};

/** Delete, a moment of nothing, create (some synchronising tools). */
const deleteThenCreate: SaveStyle = async (path, text) => {
  rmSync(path);
  await setImmediate();
  await setImmediate();
  writeFileSync(path, text);
};

/** A new file with a modification time in the past (git checkout, restore from backup). */
const olderTime: SaveStyle = async (path, text) => {
  writeFileSync(`${path}.old`, text);
  utimesSync(`${path}.old`, 1_000_000_000, 1_000_000_000);
  rmSync(path);
  renameSync(`${path}.old`, path);
};

/** Copy another file over it (cp). */
const copyOver: SaveStyle = async (path, text) => {
  writeFileSync(`${path}.copy`, text);
  copyFileSync(`${path}.copy`, path);
  rmSync(`${path}.copy`);
};

export const SAVE_STYLES: readonly (readonly [string, SaveStyle])[] = [
  ["rename over", renameOver],
  ["in place, in pieces", inPlace],
  ["delete, then create", deleteThenCreate],
  ["older time", olderTime],
  ["copy over", copyOver],
];
