/**
 * The bundling process as the server uses it: started when the first bundle is asked for, with an empty environment and
 * rights to its own code only, ended after a while without work. It gets texts and gives texts; which files may be read is decided by
 * whoever answers its questions.
 */
import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { withoutInherited } from "../../core/child-descriptors.ts";
import { type Confinement, confined, findConfinement } from "../../core/confinement.ts";
import { messageOf, systemCode } from "../../core/errors.ts";
import { shownName } from "../../core/text.ts";
import type { BundlerMessage, FromBundler, ImportRequest, LoadAnswer, ResolveAnswer, ToBundler } from "./bundle-protocol.ts";
import { bundlerCommand } from "./bundler-command.ts";

/** Longest time of one bundle, in milliseconds; usual are 20 to 300, and a package of thousands of files takes some seconds. */
export const BUNDLE_MS = 20_000;

/** Time without work after which the process is ended, in milliseconds. */
const IDLE_MS = 30_000;

/** Most memory of the bundler's program, in MiB. Code nested a million levels deep takes more, all of a second. */
const MAX_MEMORY_MB = 512;

/** Time between two looks at it, in milliseconds. */
const MEMORY_LOOK_MS = 25;

/** Answers the questions of one bundle. */
export interface BundleHandlers {
  resolve(request: ImportRequest): ResolveAnswer;
  load(path: string, type: string): LoadAnswer;
}

/** What a bundle came to. `late`: its time was over. `broken`: the process failed, which another try may not. */
export type BundleOutcome =
  | {
      readonly kind: "built";
      readonly code: string;
      readonly map: string;
      readonly warnings: readonly BundlerMessage[];
      readonly refusal: string;
    }
  | { readonly kind: "failed"; readonly errors: readonly BundlerMessage[] }
  | { readonly kind: "late"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string };

/** TypeScript as JavaScript, its imports and exports as they were. */
export type StripOutcome =
  | { readonly kind: "stripped"; readonly code: string; readonly map: string }
  | Exclude<BundleOutcome, { kind: "built" }>;

const PLACE = z.strictObject({ file: z.string(), line: z.int(), column: z.int(), lineText: z.string() });
const MESSAGES = z.array(z.strictObject({ text: z.string(), code: z.string(), place: PLACE.exactOptional() }));
const REQUEST = z.strictObject({ specifier: z.string(), importer: z.string(), style: z.enum(["import", "require"]), type: z.string() });

/** What the process may say; it works on text that anybody may have written. */
const FROM_BUNDLER = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("resolve"), id: z.int(), ask: z.int(), request: REQUEST }),
  z.strictObject({ kind: z.literal("load"), id: z.int(), ask: z.int(), path: z.string(), type: z.string() }),
  z.strictObject({ kind: z.literal("stripped"), id: z.int(), code: z.string(), map: z.string() }),
  z.strictObject({ kind: z.literal("built"), id: z.int(), code: z.string(), map: z.string(), warnings: MESSAGES, refusal: z.string() }),
  z.strictObject({ kind: z.literal("failed"), id: z.int(), errors: MESSAGES }),
]);

interface Job {
  readonly handlers: BundleHandlers | undefined;
  readonly finish: (outcome: BundleOutcome | StripOutcome) => void;
}

/** See the head of this file. */
export class BundleService implements AsyncDisposable {
  /** Longest time of one bundle, in milliseconds. */
  readonly limitMs: number;
  readonly #findConfinement: () => Promise<Confinement>;
  #confinement: Promise<Confinement> | undefined;
  #child: ChildProcess | undefined;
  readonly #jobs = new Map<number, Job>();
  #hasAnswered = false;
  #isConfined = true;
  #lastId = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #memoryTimer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  /** `findConfinement` is asked once, before the first start. */
  constructor(find: () => Promise<Confinement> = findConfinement, limitMs = BUNDLE_MS) {
    this.#findConfinement = find;
    this.limitMs = limitMs;
  }

  /** Bundles the module `entry` with what it imports; `tail` is added to its text. Never rejects. */
  async build(entry: string, tail: string, handlers: BundleHandlers): Promise<BundleOutcome> {
    const outcome = await this.#run((id) => ({ kind: "build", id, entry, tail }), handlers);
    return outcome.kind === "stripped" ? { kind: "broken", reason: "answered another question" } : outcome;
  }

  /** Takes the types out of a text, which is that of `file`. Never rejects. */
  async strip(file: string, contents: string): Promise<StripOutcome> {
    const outcome = await this.#run((id) => ({ kind: "strip", id, file, contents }), undefined);
    return outcome.kind === "built" ? { kind: "broken", reason: "answered another question" } : outcome;
  }

  /** Whether processes are started with what the system can take from them; false after one that ended of it. */
  get isConfined(): boolean {
    return this.#isConfined;
  }

  /** Id of the process while there is one. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Ends what is under way; the next bundle has another process. */
  abandon(): void {
    this.#end("was ended for a later edit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#end("was ended with the server");
  }

  async #run(make: (id: number) => ToBundler, handlers: BundleHandlers | undefined): Promise<BundleOutcome | StripOutcome> {
    this.#confinement ??= this.#findConfinement();
    const { prefix } = await this.#confinement;
    const isConfined = this.#isConfined;
    const outcome = await this.#try(isConfined ? prefix : [], make, handlers);
    // The first process ended before it said anything: without the guards it may live.
    const isAnotherTry = isConfined && !this.#isConfined && prefix.length > 0;
    return outcome.kind === "broken" && isAnotherTry ? await this.#try([], make, handlers) : outcome;
  }

  async #try(
    prefix: readonly string[],
    make: (id: number) => ToBundler,
    handlers: BundleHandlers | undefined,
  ): Promise<BundleOutcome | StripOutcome> {
    if (this.#isDisposed) return { kind: "broken", reason: "was ended with the server" };
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<BundleOutcome | StripOutcome>();
    const timer = setTimeout(() => this.#end(`took longer than ${this.limitMs / 1_000} s`, "late"), this.limitMs);
    this.#jobs.set(id, { handlers, finish: resolve });
    try {
      this.#send(this.#start(prefix), make(id));
      return await promise;
    } catch (error) {
      // The package of the bundler may have been left out of the installation.
      return { kind: "broken", reason: `could not be started. ${messageOf(error)}` };
    } finally {
      clearTimeout(timer);
      this.#jobs.delete(id);
      if (this.#jobs.size === 0) this.#rest();
    }
  }

  #start(prefix: readonly string[]): ChildProcess {
    clearTimeout(this.#idleTimer);
    const child = this.#child ?? this.#launch(prefix);
    this.#child = child;
    this.#memoryTimer ??= setInterval(() => {
      if (programMemoryMb(child.pid) > MAX_MEMORY_MB) this.#end(`used more than ${MAX_MEMORY_MB} MiB`);
    }, MEMORY_LOOK_MS).unref();
    return child;
  }

  #launch(prefix: readonly string[]): ChildProcess {
    const { program, args, cwd } = bundlerCommand();
    const { program: execPath, args: execArgv } = confined({ program: process.execPath, args }, { prefix });
    const child = withoutInherited(["ignore", "ignore", "ignore", "ipc"], (stdio) =>
      fork(program, [], { env: {}, cwd, execPath, execArgv: [...execArgv], stdio }),
    );
    child.on("message", (message) => this.#onMessage(child, message));
    child.on("error", () => this.#onExit(child, "could not be started"));
    child.on("exit", () => this.#onExit(child, "ended by itself"));
    // A command that is done must not wait for it.
    child.unref();
    child.channel?.unref();
    return child;
  }

  #onMessage(child: ChildProcess, received: unknown): void {
    if (child !== this.#child) return;
    this.#hasAnswered = true;
    const parsed = FROM_BUNDLER.safeParse(received);
    if (!parsed.success) {
      this.#end("sent what is no message");
      return;
    }
    const message: FromBundler = parsed.data;
    const job = this.#jobs.get(message.id);
    if (job === undefined) return;
    switch (message.kind) {
      case "resolve":
        this.#answer(child, message.ask, message.request.specifier, () => job.handlers?.resolve(message.request));
        return;
      case "load":
        this.#answer(child, message.ask, message.path, () => job.handlers?.load(message.path, message.type));
        return;
      case "failed":
        // Without a message about a text it is the program that failed; another one may do better.
        if (message.errors.some(({ place }) => place !== undefined)) job.finish(message);
        else this.#end(`failed: ${message.errors[0]?.text.split("\n", 1)[0] ?? "no reason was given"}`);
        return;
      default:
        job.finish(message);
    }
  }

  /** What an answer fails with is the fault of the import that asks: thrown here, it would be nobody's and end the server. */
  #answer(child: ChildProcess, ask: number, name: string, find: () => ResolveAnswer | LoadAnswer | undefined): void {
    let answer: ResolveAnswer | LoadAnswer | undefined;
    try {
      answer = find();
    } catch (error) {
      answer = { kind: "refused", code: "FILE_UNREADABLE", text: `${JSON.stringify(shownName(name))} ${failureText(error)}` };
    }
    if (answer !== undefined) this.#send(child, { kind: "answer", ask, answer });
  }

  /** A message that does not arrive is one to a process that ended, of which its exit event tells. */
  #send(child: ChildProcess, message: ToBundler): void {
    child.send(message, () => undefined);
  }

  #onExit(child: ChildProcess, reason: string): void {
    if (child !== this.#child) return;
    if (!this.#hasAnswered) this.#isConfined = false;
    this.#end(reason);
  }

  #rest(): void {
    clearInterval(this.#memoryTimer);
    this.#memoryTimer = undefined;
    this.#idleTimer = setTimeout(() => this.#end("rests"), IDLE_MS).unref();
  }

  /** Ends the process and what waits for it. */
  #end(reason: string, kind: "late" | "broken" = "broken"): void {
    clearInterval(this.#memoryTimer);
    clearTimeout(this.#idleTimer);
    this.#memoryTimer = undefined;
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined) {
      // The program ends when its input does, but one that computes sees that late.
      for (const pid of childrenOf(child.pid)) killQuietly(pid);
      child.kill("SIGKILL");
    }
    for (const job of this.#jobs.values()) job.finish({ kind, reason });
  }
}

/** The message of an error may name what lies outside of the workspace; its kind does not. */
function failureText(error: unknown): string {
  if (error instanceof RangeError) return "is too long, or what it leads to is nested too deep, to be looked up";
  const code = systemCode(error);
  return `could not be looked up (${code === "unknown" && error instanceof Error ? error.name : code})`;
}

/** Memory of the programs that a process has started, in MiB; 0 where that cannot be seen. */
function programMemoryMb(pid: number | undefined): number {
  return childrenOf(pid).reduce((sum, child) => sum + residentMb(child), 0);
}

function childrenOf(pid: number | undefined): readonly number[] {
  if (pid === undefined || process.platform !== "linux") return [];
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // it ended; its exit event tells that
  }
}

function residentMb(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return Number(kib ?? 0) / 1_024;
  } catch {
    return 0; // see above
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}
