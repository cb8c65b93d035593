/** Reads the files of one workspace. Nothing throws for what the files hold, and nothing outside the workspace is read. */
import type { Limits } from "../core/limits.ts";
import type { Problem } from "../core/problem.ts";
import { decodeText } from "./decode-text.ts";
import { createFileMemory } from "./file-memory.ts";
import type { InsideFile } from "./inside-file.ts";
import { type OfferedFile, toOfferedFile } from "./offered-file.ts";
import { badFile, type ScriptOutcome, toScript } from "./script-source.ts";
import { parseSettingsFile, SETTINGS_FILE, type Settings } from "./settings-file.ts";
import { createReadingMemory, MAX_WORKSPACE_FILE_BYTES, parseToolsFile, TOOLS_FILE, type ToolsFile } from "./tools-file.ts";

/** Settings and the warnings about them. */
export interface SettingsValue {
  readonly settings: Settings;
  readonly problems: readonly Problem[];
}

/** State of a file: usable, not there, or not usable. */
export type FileState<T> =
  | { readonly kind: "good"; readonly value: T; readonly sha256: string }
  | { readonly kind: "missing" | "broken"; readonly problems: readonly Problem[] };

/** The files of one workspace, each read only when it may have changed. */
export interface WorkspaceReader {
  settings(): FileState<SettingsValue>;
  /** `own`: limits in force in the workspace. */
  tools(own: Limits): FileState<ToolsFile>;
  script(file: string, maxBytes: number): ScriptOutcome;
  /** A file that a prompt or resource names. */
  offered(file: string, maxBytes: number): OfferedFile;
  /** True if a file of settings, one of the scripts or of the offered files may no longer be what was read last. One stat per file. */
  isStale(scripts: readonly string[], offered?: readonly string[]): boolean;
  /** The next reading takes nothing for granted, of one file or of all. */
  distrust(file?: string): void;
  /** Forgets the scripts and offered files that no entry names any more. */
  keepOnly(scripts: ReadonlySet<string>, offered: ReadonlySet<string>): void;
  /** Folders, absolute and real, in which scripts and offered files lie. */
  folders(): readonly string[];
}

/** A reader of the workspace at `root`; `base` are the limits of the server. */
export function createWorkspaceReader(root: string, base: Limits): WorkspaceReader {
  const reading = createReadingMemory();
  const settings = createFileMemory<FileState<SettingsValue>>(root);
  const tools = createFileMemory<FileState<ToolsFile>>(root);
  const scripts = createFileMemory<ScriptOutcome>(root);
  const offered = createFileMemory<OfferedFile>(root);
  const maxBytes = MAX_WORKSPACE_FILE_BYTES;
  return {
    settings: () =>
      settings.look(SETTINGS_FILE, {
        maxBytes,
        purpose: "",
        judge: (read, sha256) => toState(SETTINGS_FILE, read, sha256, (text) => parseSettingsFile(text, base)),
      }),
    tools: (own) =>
      tools.look(TOOLS_FILE, {
        maxBytes,
        purpose: JSON.stringify(own),
        judge: (read, sha256) => toState(TOOLS_FILE, read, sha256, (text) => parseToolsFile(text, { base, own, memory: reading })),
      }),
    script: (file, most) =>
      scripts.look(file, {
        maxBytes: most,
        purpose: String(most),
        judge: (read, sha256) => toScript(file, read, { maxBytes: most, sha256 }),
      }),
    offered: (file, most) =>
      offered.look(file, {
        maxBytes: most,
        purpose: String(most),
        judge: (read, sha256) => toOfferedFile(root, file, read, sha256, most),
      }),
    isStale: (files, given = []) =>
      tools.isStale(TOOLS_FILE) ||
      settings.isStale(SETTINGS_FILE) ||
      files.some((file) => scripts.isStale(file)) ||
      given.some((file) => offered.isStale(file)),
    distrust(file) {
      for (const memory of [settings, tools, scripts, offered]) memory.distrust(file);
    },
    keepOnly(wanted, given) {
      scripts.keepOnly(wanted);
      offered.keepOnly(given);
    },
    folders: () => [...new Set([...scripts.folders(), ...offered.folders()])],
  };
}

function toState<T>(
  file: string,
  read: InsideFile,
  sha256: string,
  parse: (
    text: string,
  ) => { readonly kind: "good"; readonly value: T } | { readonly kind: "broken"; readonly problems: readonly Problem[] },
): FileState<T> {
  const place = { kind: "file", file } as const;
  if (read.kind !== "read") {
    const { code, message } = badFile(file, read, MAX_WORKSPACE_FILE_BYTES);
    return { kind: read.kind === "missing" ? "missing" : "broken", problems: [{ code, severity: "error", place, message }] };
  }
  const decoded = decodeText(read.bytes);
  if (decoded.kind === "not-text") {
    const message = `${file} cannot be read: ${decoded.reason}.`;
    return { kind: "broken", problems: [{ code: "FILE_UNREADABLE", severity: "error", place, message }] };
  }
  const outcome = parse(decoded.text);
  return outcome.kind === "good" ? { ...outcome, sha256 } : outcome;
}
