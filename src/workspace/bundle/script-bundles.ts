/**
 * The bundles of a workspace's scripts. One is made when a script or anything it imports has changed, never while a call
 * waits for its own; until it is done, and where it cannot be made, its script is as it was. One at a time is made, so that a text
 * which breaks the bundler is known.
 */
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Problem } from "../../core/problem.ts";
import { type BundleCache, createBundleCache } from "./bundle-cache.ts";
import { BundleService } from "./bundle-service.ts";
import { type Bundle, bundleKey, type MadeBundle, type ModuleScript, makeBundle, unmade } from "./make-bundle.ts";
import { type BundleInputs, createModuleFiles, isLinked, isPackagePath, type ModuleFiles } from "./module-files.ts";

/** Versions and settings that decide what comes out; another text makes every bundle anew. */
export const BUNDLE_WAY = "3 esbuild 0.28.2";

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
  readonly #service = new BundleService();
  readonly #cache: BundleCache | undefined;
  readonly #entries = new Map<string, Entry>();
  /** Work under way or waiting, by script. */
  readonly #pending = new Map<string, Promise<void>>();
  #last: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(options: ScriptBundlesOptions) {
    this.#options = options;
    this.#files = createModuleFiles(options.root);
    this.#cache = options.cacheFolder === undefined ? undefined : createBundleCache(options.cacheFolder, options.log);
  }

  /** The bundle of a script as its files are now; starts what is needed for it. */
  look(module: ModuleScript, { maxBytes, hardened }: BundleNeeds): BundleState {
    const { file } = module;
    if (this.#pending.has(file)) return PENDING;
    const known = this.#entries.get(file);
    if (known === undefined || !this.#isCurrent(known, module, maxBytes)) {
      this.#start(file, () => this.#make(module, maxBytes));
      return PENDING;
    }
    if (hardened && this.#needsTrial(known)) {
      this.#start(file, () => this.#try(known));
      return PENDING;
    }
    return known.made;
  }

  /** True if the bundle of the script, or what it is made of, may have changed. A stat for each file that is not of a package. */
  isStale(file: string): boolean {
    return this.#entries.get(file)?.watched.some((path) => !this.#files.isFresh(path)) === true;
  }

  /** Settles once these scripts are what their files say, or after five rounds of edits meanwhile. */
  async whenDone(scripts: readonly string[]): Promise<void> {
    for (const script of scripts) {
      // A bundle that is done may have to be tried, or be made anew of files that changed meanwhile.
      for (let round = 0; round < 5 && this.#pending.has(script); round++) await this.#pending.get(script);
    }
  }

  /** The next look takes nothing for granted, of one file or of all. */
  distrust(file?: string): void {
    this.#files.distrust(file);
    if (file !== undefined) return;
    for (const [name, { isLasting }] of this.#entries) if (!isLasting) this.#entries.delete(name);
  }

  /** Forgets the bundles of other scripts. */
  keepOnly(scripts: ReadonlySet<string>): void {
    for (const file of this.#entries.keys()) if (!scripts.has(file)) this.#entries.delete(file);
    if (this.#pending.size > 0) return;
    this.#files.keepOnly(new Set([...this.#entries.values()].flatMap(({ inputs }) => [...inputs.keys()])));
  }

  /** Folders, absolute, whose files are in a bundle, those of packages left out. */
  folders(): readonly string[] {
    return this.#files.folders();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#service[Symbol.asyncDispose]();
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

  #start(file: string, job: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      try {
        if (!this.#isDisposed) await job();
      } catch (error) {
        this.#options.log.error("bundle.failed", { file, reason: messageOf(error) });
      } finally {
        this.#pending.delete(file);
        if (!this.#isDisposed) this.#options.onDone();
      }
    };
    this.#last = this.#last.then(run);
    this.#pending.set(file, this.#last);
  }

  async #make(module: ModuleScript, maxBytes: number): Promise<void> {
    const name = JSON.stringify([BUNDLE_WAY, this.#options.root, module.file]);
    const kept = this.#fromCache(name, module, maxBytes);
    if (kept !== undefined) {
      this.#entries.set(module.file, kept);
      return;
    }
    const startedAt = performance.now();
    const { root, log } = this.#options;
    const made = await makeBundle(module, { root, files: this.#files, service: this.#service, maxBytes }).catch((error: unknown) => {
      // Without an outcome it would be made again and again.
      log.error("bundle.failed", { file: module.file, reason: messageOf(error) });
      return unmade(module.file);
    });
    const entry = toEntry(module, maxBytes, made);
    this.#entries.set(module.file, entry);
    const durationMs = Math.round(performance.now() - startedAt);
    log.info("bundle.made", { file: module.file, files: made.inputs.size, durationMs, outcome: made.kind });
    if (entry.made.kind === "bad") return;
    const { key, source, map, texts } = entry.made.bundle;
    this.#cache?.write(name, { key, inputs: entry.inputs, source, map, own: [...texts.keys()] });
  }

  #fromCache(name: string, module: ModuleScript, maxBytes: number): Entry | undefined {
    const kept = this.#cache?.read(name);
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
    if (entry.made.kind !== "good" || this.#options.trial === undefined) return;
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
