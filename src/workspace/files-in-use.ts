import type { Limits } from "../core/limits.ts";
import type { Problem } from "../core/problem.ts";
import type { Holding } from "./holding.ts";
import { defaultSettings, SETTINGS_FILE } from "./settings-file.ts";
import type { WorkspaceSnapshot } from "./snapshot.ts";
import { TOOLS_FILE, type ToolsFile } from "./tools-file.ts";
import type { FileState, SettingsValue, WorkspaceReader } from "./workspace-reader.ts";

/** The two files of a workspace: what they say now or, where they are broken or gone, said last. */
export interface FilesNow {
  /** Undefined if toolyard.json was never usable; then no tool may run, since what it narrows is not known. */
  readonly settings: SettingsValue | undefined;
  /** Undefined if tools.json was never usable. */
  readonly tools: ToolsFile | undefined;
  /** Problems of files that are not usable now. */
  readonly problems: readonly Problem[];
  /** Hashes of the content in use. */
  readonly content: string;
}

/** How the two files stand; see {@link WorkspaceSnapshot.state}. */
export function stateOf({ settings, tools, problems }: FilesNow): WorkspaceSnapshot["state"] {
  if (settings === undefined || tools === undefined) return "empty";
  return problems.length > 0 ? "last-good" : "ok";
}

/** Remembers what each file said when it was last good. */
export interface FilesInUse {
  /** Reads what may have changed; `nowMs` is a clock that never goes back. */
  look(nowMs: number): FilesNow;
}

/** What a file said when it was last good. */
interface GoodFile<T> {
  readonly value: T;
  readonly sha256: string;
}

/** The files of a reader; `base` are the limits of the server. */
export function createFilesInUse(reader: WorkspaceReader, holding: Holding, base: Limits): FilesInUse {
  let goodSettings: GoodFile<SettingsValue> | undefined;
  let goodTools: GoodFile<ToolsFile> | undefined;
  let hadSettingsFile = false;

  const takeSettings = (state: FileState<SettingsValue>, nowMs: number): readonly Problem[] => {
    if (state.kind === "good") {
      holding.release(SETTINGS_FILE);
      goodSettings = state;
      hadSettingsFile = true;
      return [];
    }
    if (state.kind === "broken") {
      hadSettingsFile = true;
      return holding.isHeld(SETTINGS_FILE, nowMs) && goodSettings !== undefined ? [] : state.problems;
    }
    // No such file is a good state, but one that was there may only be on its way to being replaced.
    if (hadSettingsFile && holding.isHeld(SETTINGS_FILE, nowMs)) return [];
    holding.release(SETTINGS_FILE);
    hadSettingsFile = false;
    // The same object each time, since tools are made anew for other settings.
    if (goodSettings?.sha256 !== "") goodSettings = { value: { settings: defaultSettings(base), problems: [] }, sha256: "" };
    return [];
  };

  const takeTools = (state: FileState<ToolsFile>, nowMs: number): readonly Problem[] => {
    if (state.kind !== "good") return holding.isHeld(TOOLS_FILE, nowMs) && goodTools !== undefined ? [] : state.problems;
    holding.release(TOOLS_FILE);
    goodTools = state;
    return [];
  };

  return {
    look(nowMs) {
      const settingsProblems = takeSettings(reader.settings(), nowMs);
      const own = (goodSettings?.value.settings ?? defaultSettings(base)).limits;
      const toolsProblems = takeTools(reader.tools(own), nowMs);
      return {
        settings: goodSettings?.value,
        tools: goodTools?.value,
        problems: [...settingsProblems, ...toolsProblems],
        content: `${goodSettings?.sha256 ?? ""} ${goodTools?.sha256 ?? ""}`,
      };
    },
  };
}
