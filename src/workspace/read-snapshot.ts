/** What the files of a workspace come to at one moment. */
import type { Limits } from "../core/limits.ts";
import type { Problem } from "../core/problem.ts";
import type { ScriptBundles } from "./bundle/script-bundles.ts";
import { type FilesInUse, stateOf } from "./files-in-use.ts";
import { shownBroken, shownProblem } from "./hidden-text.ts";
import type { Holding } from "./holding.ts";
import { EMPTY_OFFERS, makeOffers, offeredFiles } from "./offers.ts";
import { defaultSettings, SETTINGS_FILE } from "./settings-file.ts";
import type { WorkspaceSnapshot } from "./snapshot.ts";
import type { ToolMaker } from "./tool-maker.ts";
import { TOOLS_FILE } from "./tools-file.ts";
import type { WorkspaceReader } from "./workspace-reader.ts";

/** What a moment is read with. */
export interface ReadingParts {
  readonly files: FilesInUse;
  readonly reader: WorkspaceReader;
  readonly bundles: ScriptBundles;
  readonly holding: Holding;
  readonly maker: ToolMaker;
  /** Limits of the server. */
  readonly base: Limits;
  /** A problem of the workspace beside those of its files. */
  readonly extra: Problem | undefined;
  /** A clock that never goes back, in milliseconds. */
  readonly nowMs: number;
  /** Milliseconds since 1970. */
  readonly dateMs: number;
}

/** A moment and what it was read from. */
export interface ReadSnapshot {
  readonly snapshot: WorkspaceSnapshot;
  /** Hashes of the files of settings in use. */
  readonly content: string;
  /** Which script each tool's name, in lower case, needs. */
  readonly scripts: ReadonlyMap<string, string>;
  /** Files that prompts and resources name. */
  readonly offered: readonly string[];
}

/** Reads what may have changed, and forgets what no file names any more. */
export function readSnapshot(previous: WorkspaceSnapshot, parts: ReadingParts): ReadSnapshot {
  const { reader, bundles, holding, maker, base, extra, nowMs, dateMs } = parts;
  const files = parts.files.look(nowMs);
  const settings = files.settings?.settings ?? defaultSettings(base);
  const entries = files.settings === undefined ? [] : (files.tools?.entries ?? []);
  const made = maker.make(entries, { previous, settings, nowMs, dateMs });
  const written = files.settings === undefined ? undefined : files.tools?.offers;
  const offers = written === undefined ? undefined : makeOffers(written, (file) => reader.offered(file, settings.limits.mediaBytes));
  const offered = written === undefined ? [] : offeredFiles(written);
  const scripts = new Set(made.scripts.values());
  reader.keepOnly(scripts, new Set(offered));
  bundles.keepOnly(scripts);
  holding.keepOnly(new Set([TOOLS_FILE, SETTINGS_FILE, ...made.things]));
  const problems = [
    ...files.problems,
    ...(files.settings?.problems ?? []),
    ...(files.tools?.problems ?? []),
    ...made.problems,
    ...(written?.problems ?? []),
    ...(offers?.problems ?? []),
    ...(extra === undefined ? [] : [extra]),
  ].map(shownProblem);
  const { tools } = made;
  const broken = made.broken.map(shownBroken);
  const snapshot = { ...previous, tools, broken, offers: offers?.offers ?? EMPTY_OFFERS, problems, settings, state: stateOf(files) };
  return { snapshot, content: files.content, scripts: made.scripts, offered };
}
