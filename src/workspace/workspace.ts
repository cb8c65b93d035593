/**
 * A workspace in service: its tools as of the last good state of its files. It promises that an edit is live on the next
 * call, that no broken or half-written file ever takes working tools away before it has lasted, and that what was hashed
 * is what runs. It never writes into the workspace, and nothing in the files makes it throw.
 */
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../core/errors.ts";
import { defaultLimits, type Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { Problem } from "../core/problem.ts";
import type { RefreshHint } from "../core/tool.ts";
import { ScriptBundles, type TrialRun } from "./bundle/script-bundles.ts";
import { logChange, tellListeners } from "./change-log.ts";
import { createFilesInUse, type FilesInUse } from "./files-in-use.ts";
import { BACK_LOOK_MS, FOLDER, folderGone, isFolder } from "./folder-presence.ts";
import { FolderWatcher, silentFileSystem, WATCH_START_MS, watchProblem } from "./folder-watcher.ts";
import { createHolding, HOLD_MS } from "./holding.ts";
import { pathInside } from "./inside-file.ts";
import { type OfferedContent, readOfferedFile } from "./offered-file.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { defaultSettings } from "./settings-file.ts";
import { differs, emptySnapshot, type WorkspaceSnapshot } from "./snapshot.ts";
import { createToolMaker, type ToolMaker, thingOf } from "./tool-maker.ts";
import { TOOLS_FILE } from "./tools-file.ts";
import { createWorkspaceReader, type WorkspaceReader } from "./workspace-reader.ts";

/** How a workspace is opened. */
export interface WorkspaceOptions {
  /** Folder with tools.json. */
  readonly root: string;
  /** Look for changes by polling, where events do not arrive (network drives, containers). */
  readonly poll: boolean;
  readonly log: Log;
  /** False: changes are seen at calls only, for commands that end soon. Default true. */
  readonly watch?: boolean;
  /** Limits of the server, which the workspace may lower. Default: those of the table. */
  readonly limits?: Limits;
  /** Folder of toolyard's own for bundles of scripts that import; absent: none are kept between two starts. */
  readonly cacheFolder?: string;
  /** Tries new bundles in a hardened realm; absent: they are not tried. */
  readonly trial?: TrialRun;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** Events this close together are one change, in milliseconds. */
const GATHER_MS = 20;

/** Time between two looks in polling mode, in milliseconds; a look is one stat per file. */
const POLL_INTERVAL_MS = 200;

/** Longest wait of `reload` for a file that is just being written, in milliseconds. */
const MAX_SETTLING_MS = 4 * HOLD_MS;

/** The tools of one folder, kept as its files are. */
export class Workspace implements AsyncDisposable {
  readonly root: string;
  /** How changes are noticed between calls. */
  readonly watching: "events" | "polling" | "none";
  readonly #log: Log;
  readonly #base: Limits;
  readonly #now: () => number;
  readonly #reader: WorkspaceReader;
  readonly #holding = createHolding();
  readonly #files: FilesInUse;
  readonly #bundles: ScriptBundles;
  readonly #maker: ToolMaker;
  readonly #listeners = new Set<() => void>();
  #watcher: FolderWatcher | undefined;
  #watchProblem: Problem | undefined;
  #scripts: ReadonlyMap<string, string> = new Map();
  #offered: readonly string[] = [];
  #content = "";
  #snapshot: WorkspaceSnapshot;
  #pollTimer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #gatherTimer: NodeJS.Timeout | undefined;
  #isGone = false;
  #isDisposed = false;

  /** Reads the workspace and begins to watch it. Broken or missing files give an empty set with problems, never an error. */
  static async open(options: WorkspaceOptions): Promise<Workspace> {
    const workspace = new Workspace(options);
    workspace.#load();
    await workspace.#bundles.whenDone([...workspace.#scripts.values()], "open");
    return workspace;
  }

  private constructor(options: WorkspaceOptions) {
    const { root, poll, log, watch = true, limits = defaultLimits(), now = Date.now } = options;
    this.root = root;
    this.#log = log;
    this.#base = limits;
    this.#now = now;
    this.#reader = createWorkspaceReader(root, limits);
    this.#bundles = new ScriptBundles({ ...options, onDone: () => this.#tryLoad() });
    this.#files = createFilesInUse(this.#reader, this.#holding, limits);
    this.#maker = createToolMaker({ reader: this.#reader, bundles: this.#bundles, holding: this.#holding, base: limits });
    this.watching = watch ? (poll ? "polling" : "events") : "none";
    this.#snapshot = emptySnapshot(defaultSettings(limits), now());
    if (this.watching === "events") this.#startWatching();
    if (this.watching === "polling") this.#pollTimer = setInterval(() => this.#loadIfStale(), POLL_INTERVAL_MS).unref();
  }

  /** The workspace now; the same object until something changes. */
  current(): WorkspaceSnapshot {
    return this.#snapshot;
  }

  /**
   * Settles once `current()` is what the files say. For a call or a list that is some stats if nothing changed. `all`
   * reads everything again. `all`, and a call of the tool concerned, wait for what is just being written, at most 1.2 s.
   */
  async refresh(hint: RefreshHint): Promise<void> {
    if (this.#isDisposed) return;
    if (hint.kind === "all") {
      this.#reader.distrust();
      this.#bundles.distrust();
      this.#load();
      await this.#bundles.whenDone([...this.#scripts.values()], "all");
      return this.#waitWhile(() => this.#holding.nextLookMs(performance.now()) !== undefined);
    }
    if (this.#isStale(this.#scriptsFor(hint), hint.kind === "list" ? this.#offered : [])) this.#load();
    // Of what was loaded just now: the entry may be a new one, or name another script.
    const scripts = this.#scriptsFor(hint);
    await this.#bundles.whenDone(scripts, hint.kind);
    // Whoever edits and calls wants what they wrote: the answer of the version before would pass for that of the new one.
    if (hint.kind === "tool") await this.#waitWhile(() => this.#isUnsettled(hint.name));
  }

  /** Reads a file of a prompt or resource as it is now; only paths of {@link WorkspaceSnapshot.offers} are meant to be asked for. */
  readOffered(file: string, mimeType: string): OfferedContent {
    return readOfferedFile(this.root, file, { mimeType, maxBytes: this.#snapshot.settings.limits.mediaBytes });
  }

  /** Reads everything again, as `refresh` with `all`, and gives the result. */
  async reload(): Promise<WorkspaceSnapshot> {
    await this.refresh({ kind: "all" });
    return this.#snapshot;
  }

  /** Calls back after each change of `current()`; the returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Settles once changes are noticed without calls; at once if the workspace is not watched. */
  async whenWatching(): Promise<void> {
    await this.#watcher?.ready;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (const timer of [this.#pollTimer, this.#lookTimer, this.#gatherTimer]) clearTimeout(timer);
    this.#listeners.clear();
    await Promise.all([this.#watcher?.[Symbol.asyncDispose](), this.#bundles[Symbol.asyncDispose]()]);
  }

  #scriptsFor(hint: Exclude<RefreshHint, { kind: "all" }>): readonly string[] {
    const names = hint.kind === "tool" ? [hint.name] : this.#snapshot.broken.map(({ name }) => name);
    return names.map((name) => this.#scripts.get(name.toLowerCase())).filter((script) => script !== undefined);
  }

  #isStale(scripts: readonly string[], offered: readonly string[]): boolean {
    // A folder that comes back has the stamps it had before.
    return this.#isGone || this.#reader.isStale(scripts, offered) || scripts.some((script) => this.#bundles.isStale(script));
  }

  /** True while it is not yet known whether the tool's newest state is half written or broken. */
  #isUnsettled(name: string): boolean {
    const lower = name.toLowerCase();
    if (this.#holding.isWaiting(thingOf(lower))) return true;
    return this.#holding.isWaiting(TOOLS_FILE) && !this.#snapshot.tools.some((tool) => tool.name === name);
  }

  async #waitWhile(isUnsettled: () => boolean): Promise<void> {
    const end = performance.now() + MAX_SETTLING_MS;
    while (isUnsettled()) {
      const waitMs = this.#holding.nextLookMs(performance.now());
      if (waitMs === undefined || performance.now() > end || this.#isDisposed) return;
      await delay(waitMs);
      if (!this.#isDisposed) this.#load();
    }
  }

  /** Reads what may have changed and publishes the outcome. Everything happens in one go, so no caller sees half of it. */
  #load(): void {
    const nowMs = performance.now();
    this.#isGone = !isFolder(this.root);
    if (this.#isGone) {
      this.#loadNothing(nowMs);
      return;
    }
    const read = readSnapshot(this.#snapshot, {
      files: this.#files,
      reader: this.#reader,
      bundles: this.#bundles,
      holding: this.#holding,
      maker: this.#maker,
      base: this.#base,
      extra: this.#watchProblem,
      nowMs,
      dateMs: this.#now(),
    });
    this.#scripts = read.scripts;
    this.#offered = read.offered;
    this.#publish(read.snapshot, read.content);
    const isNew = this.#watcher?.follow(this.#foldersToWatch()) === true;
    // What is edited while the watching of a folder starts has no event.
    this.#lookAgain(this.#holding.nextLookMs(performance.now()) ?? (isNew ? WATCH_START_MS : undefined));
  }

  /** The folder is gone: after a moment that is told, and everything stays as it was read last. */
  #loadNothing(nowMs: number): void {
    const previous = this.#snapshot;
    // The moment of anything else begins anew when the folder is back.
    this.#holding.keepOnly(new Set([FOLDER]));
    if (previous.generation === 0 || !this.#holding.isHeld(FOLDER, nowMs)) {
      const problems = [folderGone(this.root), ...previous.problems.filter(({ tool }) => tool !== undefined)];
      this.#publish({ ...previous, problems, state: previous.tools.length === 0 ? "empty" : "last-good" }, this.#content);
    }
    // What is watched went away with the folder; what comes back is watched anew.
    this.#watcher?.follow(new Set());
    this.#lookAgain(this.#holding.nextLookMs(performance.now()) ?? (this.watching === "none" ? undefined : BACK_LOOK_MS));
  }

  /** `content`: the hashes of the files in use; an edit that changes nothing visible is a new generation too. */
  #publish(next: WorkspaceSnapshot, content: string): void {
    const previous = this.#snapshot;
    if (previous.generation > 0 && content === this.#content && !differs(previous, next)) return;
    this.#content = content;
    this.#snapshot = { ...next, generation: previous.generation + 1, loadedAtMs: this.#now() };
    logChange(this.#log, previous, this.#snapshot);
    tellListeners(this.#listeners, this.#log);
  }

  #lookAgain(inMs: number | undefined): void {
    clearTimeout(this.#lookTimer);
    if (inMs !== undefined && !this.#isDisposed) this.#lookTimer = setTimeout(() => this.#tryLoad(), Math.ceil(inMs)).unref();
  }

  /** Loads soon. More events do not put it off, or a file that is written all the time would keep every edit from being seen. */
  #loadSoon(): void {
    if (this.#gatherTimer !== undefined || this.#isDisposed) return;
    this.#gatherTimer = setTimeout(() => {
      this.#gatherTimer = undefined;
      this.#loadIfStale();
    }, GATHER_MS).unref();
  }

  /** Loading outside of a call has no caller to tell; what is in service stays. */
  #tryLoad(): void {
    if (this.#isDisposed) return;
    try {
      this.#load();
    } catch (error) {
      this.#log.error("workspace.load.failed", { reason: messageOf(error) });
    }
  }

  /** A look that costs no reading if nothing changed. */
  #loadIfStale(): void {
    if (this.#isStale([...this.#scripts.values()], this.#offered)) this.#tryLoad();
  }

  #startWatching(): void {
    const silent = silentFileSystem(this.root);
    if (silent !== undefined) this.#watchProblem = watchProblem(`The workspace lies on ${silent}, where events of changes may not arrive.`);
    this.#watcher = new FolderWatcher(new Set([this.root]), {
      onEvent: (path) => {
        // A file reached by a link has an event under its real path, which no tool names.
        const inside = pathInside(this.root, path);
        this.#reader.distrust(inside);
        this.#bundles.distrust(inside);
        this.#loadSoon();
      },
      isNamed: (name) => this.#offered.some((file) => basename(file) === name),
      onHint: () => this.#loadSoon(),
      onError: (reason) => {
        this.#watchProblem = watchProblem(`Watching the workspace failed: ${reason}.`);
        // A problem of the watcher is no change of a file, but has to be told.
        this.#tryLoad();
      },
    });
    // What was edited while the watcher started had no event.
    void this.#watcher.ready.then(() => this.#loadSoon());
  }

  #foldersToWatch(): ReadonlySet<string> {
    const written = [...this.#scripts.values(), ...this.#offered].map((file) => dirname(join(this.root, file)));
    return new Set([this.root, ...written, ...this.#reader.folders(), ...this.#bundles.folders()]);
  }
}
