/**
 * The bundles of a workspace's scripts. One is made when a script or anything it imports has changed, never while a call
 * waits for its own; until it is done, and where it cannot be made, its script is as it was. One that was kept is there at once.
 */
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Problem } from "../../core/problem.ts";
import { type BundleCache, createBundleCache } from "./bundle-cache.ts";
import { type Attempt, createBundleLanes } from "./bundle-lanes.ts";
import { BUNDLE_MS, BundleService } from "./bundle-service.ts";
import { type Bundle, bundleKey, type MadeBundle, type ModuleScript, makeBundle, unmade } from "./make-bundle.ts";
import { type BundleInputs, createModuleFiles, isLinked, isPackagePath, type ModuleFiles } from "./module-files.ts";

/** Versions and settings that decide what comes out; another text makes every bundle anew. */
export const BUNDLE_WAY = "4 esbuild 0.28.2";

/** Time after which a bundle is a slow one, which keeps no others waiting, in milliseconds. A package of a thousand files takes half of it. */
const USUAL_MS = 2_000;

/** Longest waits for bundles, in milliseconds. What is not ready then is listed by its entry, and a call of it waits. */
const WAITS_MS = {
  open: 5_000,
  list: 2_000,
  /** One slow script may be under way before the tool's own. */
  tool: 2 * BUNDLE_MS + 5_000,
  /** Before clients give up, which is after a minute with most. */
  all: 50_000,
} as const;

/** Tries a bundle without `g` in a hardened realm; gives why it cannot live there, or undefined. */
export type TrialRun = (script: { readonly key: string; readonly file: string; readonly source: string }) => Promise<TrialResult>;

/** `unfit`: it runs in a plain realm and not in a hardened one. */
export type TrialResult =
  | { readonly kind: "fit" }
  | { readonly kind: "unfit"; readonly message: string; readonly line?: number; readonly column?: number };

/** A bundle with the name of its content. */
export interface ReadyBundle extends Bundle {
  readonly key: string;
}

/** How a script stands; the same object until that changes. */
export type BundleState =
  | { readonly kind: "pending" }
  | { readonly kind: "good"; readonly bundle: ReadyBundle; readonly trial: TrialResult | undefined }
  | { readonly kind: "bad"; readonly problem: Problem };

/** What is asked for with a script. */
export interface BundleNeeds {
  readonly maxBytes: number;
  /** It is to live in a hardened realm. */
  readonly hardened: boolean;
}

/** How the bundles of a workspace are kept. */
export interface ScriptBundlesOptions {
  readonly root: string;
  readonly log: Log;
  /** A bundle that was asked for is done. */
  readonly onDone: () => void;
  /** Folder of toolyard's own for kept bundles; absent: none are kept. */
  readonly cacheFolder?: string;
  readonly trial?: TrialRun;
}

interface Entry {
  readonly module: ModuleScript;
  readonly maxBytes: number;
  readonly inputs: BundleInputs;
  /** Those of them that are looked at before a call. */
  readonly watched: readonly string[];
  readonly isLasting: boolean;
  made: Exclude<BundleState, { kind: "pending" }>;
}

const PENDING: BundleState = { kind: "pending" };

/** See the head of this file. */
export class ScriptBundles implements AsyncDisposable {
  readonly #options: ScriptBundlesOptions;
  readonly #files: ModuleFiles;
  readonly #services = [new BundleService(undefined, USUAL_MS), new BundleService()] as const;
  readonly #lanes = createBundleLanes(...this.#services);
  readonly #cache: BundleCache | undefined;
  readonly #entries = new Map<string, Entry>();
  /** Work under way or waiting, by script. */
  readonly #pending = new Map<string, Promise<void>>();
  /** Scripts as they were looked at last. */
  readonly #wanted = new Map<string, ModuleScript>();
  /** Scripts as they are being bundled. */
  readonly #underWay = new Map<string, ModuleScript>();
  #lastTrial: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(options: ScriptBundlesOptions) {
    this.#options = options;
    this.#files = createModuleFiles(options.root);
    this.#cache = options.cacheFolder === undefined ? undefined : createBundleCache(options.cacheFolder, options.log);
  }

  /** The bundle of a script as its files are now; starts what is needed for it. */
  look(module: ModuleScript, { maxBytes, hardened }: BundleNeeds): BundleState {
    const { file } = module;
    this.#wanted.set(file, module);
    if (this.#pending.has(file)) {
      // Of a text that nobody wants any more a slow one would keep the edit waiting.
      if (this.#underWay.get(file)?.sha256 !== module.sha256) this.#lanes.overtake(file);
      return PENDING;
    }
    const known = this.#entries.get(file);
    const current = known !== undefined && this.#isCurrent(known, module, maxBytes) ? known : this.#fromCache(module, maxBytes);
    if (current === undefined) {
      this.#start(
        file,
        this.#lanes.run(file, (service) => this.#make(this.#wanted.get(file) ?? module, maxBytes, service)),
      );
      return PENDING;
    }
    this.#entries.set(file, current);
    if (hardened && this.#needsTrial(current)) {
      // What fails in one trial is told of that one.
      this.#lastTrial = this.#lastTrial.catch(() => undefined).then(() => this.#try(current));
      this.#start(file, this.#lastTrial);
      return PENDING;
    }
    return current.made;
  }

  /** True if the bundle of the script, or what it is made of, may have changed. A stat for each file that is not of a package. */
  isStale(file: string): boolean {
    return this.#entries.get(file)?.watched.some((path) => !this.#files.isFresh(path)) === true;
  }

  /** Settles once these scripts are what their files say, or after five rounds of edits meanwhile, or the time for what waits. */
  async whenDone(scripts: readonly string[], what: keyof typeof WAITS_MS): Promise<void> {
    const waiting = scripts.filter((script) => this.#pending.has(script));
    if (waiting.length === 0) return;
    // What a call waits for comes before what nobody waits for.
    if (what === "tool") for (const script of waiting) this.#lanes.hurry(script);
    const enough = new AbortController();
    // Ended by what it is raced with, it rejects, which is no failure.
    const over = delay(WAITS_MS[what], undefined, { signal: enough.signal, ref: false }).catch(() => undefined);
    await Promise.race([Promise.all(waiting.map((script) => this.#whenSettled(script))), over]);
    enough.abort();
  }

  /** The next look takes nothing for granted, of one file or of all. */
  distrust(file?: string): void {
    this.#files.distrust(file);
    if (file !== undefined) return;
    for (const [name, { isLasting }] of this.#entries) if (!isLasting) this.#entries.delete(name);
  }

  /** Forgets the bundles of other scripts. */
  keepOnly(scripts: ReadonlySet<string>): void {
    for (const map of [this.#entries, this.#wanted, this.#underWay])
      for (const file of map.keys()) if (!scripts.has(file)) map.delete(file);
    if (this.#pending.size > 0) return;
    this.#files.keepOnly(new Set([...this.#entries.values()].flatMap(({ inputs }) => [...inputs.keys()])));
  }

  /** Folders, absolute, whose files are in a bundle, those of packages left out. */
  folders(): readonly string[] {
    return this.#files.folders();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (const service of this.#services) await service[Symbol.asyncDispose]();
    await Promise.all(this.#pending.values());
  }

  #isCurrent(known: Entry, module: ModuleScript, maxBytes: number): boolean {
    if (known.module.sha256 !== module.sha256 || known.maxBytes !== maxBytes) return false;
    return this.#areSame(known.inputs);
  }

  #areSame(inputs: BundleInputs): boolean {
    return [...inputs].every(([path, content]) => this.#files.contentOf(path) === content);
  }

  /** Code of packages is what does not live in a hardened realm; the author's own is told at its call. */
  #needsTrial({ made, inputs }: Entry): boolean {
    if (this.#options.trial === undefined || made.kind === "bad") return false;
    return made.trial === undefined && [...inputs.keys()].some(isPackagePath);
  }

  async #whenSettled(script: string): Promise<void> {
    // A bundle that is done may have to be tried, or be made anew of files that changed meanwhile.
    for (let round = 0; round < 5 && this.#pending.has(script); round++) await this.#pending.get(script);
  }

  #start(file: string, job: Promise<void>): void {
    const settled = async (): Promise<void> => {
      try {
        await job;
      } catch (error) {
        this.#options.log.error("bundle.failed", { file, reason: messageOf(error) });
      } finally {
        this.#pending.delete(file);
        if (!this.#isDisposed) this.#options.onDone();
      }
    };
    this.#pending.set(file, settled());
  }

  async #make(module: ModuleScript, maxBytes: number, service: BundleService): Promise<Attempt> {
    if (this.#isDisposed) return "done";
    this.#underWay.set(module.file, module);
    const startedAt = performance.now();
    const { root, log } = this.#options;
    const made = await makeBundle(module, { root, files: this.#files, service, maxBytes }).catch((error: unknown) => {
      // Without an outcome it would be made again and again.
      log.error("bundle.failed", { file: module.file, reason: messageOf(error) });
      return unmade(module.file);
    });
    if (made.kind === "bad" && made.isLate === true && service.limitMs < BUNDLE_MS) return "late";
    const entry = toEntry(module, maxBytes, made);
    this.#entries.set(module.file, entry);
    const durationMs = Math.round(performance.now() - startedAt);
    log.info("bundle.made", { file: module.file, files: made.inputs.size, durationMs, outcome: made.kind });
    if (entry.made.kind === "bad") return "done";
    const { key, source, map, texts } = entry.made.bundle;
    this.#cache?.write(this.#nameOf(module), { key, inputs: entry.inputs, source, map, own: [...texts.keys()] });
    return "done";
  }

  #nameOf({ file }: ModuleScript): string {
    return JSON.stringify([BUNDLE_WAY, this.#options.root, file]);
  }

  #fromCache(module: ModuleScript, maxBytes: number): Entry | undefined {
    const kept = this.#cache?.read(this.#nameOf(module));
    if (kept === undefined || kept.key !== bundleKey(module, kept.inputs, BUNDLE_WAY) || !this.#areSame(kept.inputs)) return undefined;
    if (Buffer.byteLength(kept.source) > maxBytes) return undefined;
    const texts = new Map<string, string>();
    for (const path of kept.own) {
      const text = path === module.file ? module.text : this.#textOf(path);
      if (text !== undefined) texts.set(path, text);
    }
    const bundle = { key: kept.key, source: kept.source, map: kept.map, texts };
    const watched = watchedOf(kept.inputs);
    return { module, maxBytes, inputs: kept.inputs, watched, made: { kind: "good", bundle, trial: undefined }, isLasting: true };
  }

  #textOf(path: string): string | undefined {
    const { file } = this.#files.read(path);
    return file.kind === "read" ? new TextDecoder().decode(file.bytes) : undefined;
  }

  async #try(entry: Entry): Promise<void> {
    if (this.#isDisposed || entry.made.kind !== "good" || this.#options.trial === undefined) return;
    const { key, source } = entry.made.bundle;
    entry.made = { ...entry.made, trial: await this.#options.trial({ key, file: entry.module.file, source }) };
  }
}

/** Files of packages change by an installation, which writes their package.json; each of a thousand files is not looked at. Links to them are. */
function watchedOf(inputs: BundleInputs): readonly string[] {
  const isWatched = (path: string, content: string): boolean => !isPackagePath(path) || path.endsWith("/package.json") || isLinked(content);
  return [...inputs].flatMap(([path, content]) => (isWatched(path, content) ? [path] : []));
}

function toEntry(module: ModuleScript, maxBytes: number, made: MadeBundle): Entry {
  const inputs = relevant(made);
  // Where something is missing, an installation anywhere can bring it.
  const watched = made.kind === "bad" ? [...inputs.keys()] : watchedOf(inputs);
  const base = { module, maxBytes, inputs, watched };
  if (made.kind === "bad") return { ...base, made, isLasting: made.isLasting };
  const bundle = { ...made.bundle, key: bundleKey(module, base.inputs, BUNDLE_WAY) };
  return { ...base, made: { kind: "good", bundle, trial: undefined }, isLasting: true };
}

/**
 * What was looked for in vain inside of packages, or was the package.json of a folder, matters only while something is missing:
 * a new one changes nothing by itself.
 */
function relevant({ kind, inputs }: MadeBundle): BundleInputs {
  if (kind === "bad") return inputs;
  const matters = (path: string): boolean => !isPackagePath(path) && !path.endsWith("package.json");
  return new Map([...inputs].filter(([path, content]) => content !== "missing" || matters(path)));
}
