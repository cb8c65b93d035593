/**
 * Keeps results that were over their limit, so that the rest can be read in pages: as files of the owner only, for an hour,
 * each readable by the agent whose call it was and by nobody else. Files, because a restarted server must still find them.
 * Count and size are bounded per agent, so that one agent cannot push out what another wants to read on.
 */
import { createHash } from "node:crypto";
import { messageOf, ToolError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { KeptResult, PageRange, ResultPage } from "../core/tool.ts";
import { cutPage } from "./page.ts";
import {
  type AgentFolder,
  forgetFile,
  listAgentFolders,
  listFiles,
  readHead,
  readKept,
  type StoredFile,
  writeKept,
} from "./result-files.ts";

/** Where and how results are kept. */
export interface ResultStoreOptions {
  /**
   * Folders for results, best first. `write`: made where they are not there; the next is used where one cannot be
   * written. `read`: all that may hold some. May throw; then nothing is kept.
   */
  readonly folders: (purpose: "read" | "write") => readonly string[];
  /** Limits now in force; `keptResults`, `keptResultsBytes` and `resultKeptMs` are used. */
  readonly limits: () => Limits;
  readonly log: Log;
  /** Milliseconds since 1970. For tests. */
  readonly now?: () => number;
}

/** A result to keep; already redacted. */
export interface ResultToKeep {
  readonly tool: string;
  readonly mimeType: KeptResult["mimeType"];
  /** Well-formed. */
  readonly text: string;
}

/** As the ids of `newId`; anything else is looked up nowhere, so that an id can never be a path. */
const ID = /^[0-9a-v]{26}$/;

/** See the head of this file. Owns a timer; `[Symbol.dispose]` ends it and leaves the files. */
export class ResultStore implements Disposable {
  readonly #options: ResultStoreOptions;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ResultStoreOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Time for which a result is kept, in milliseconds. */
  get keptMs(): number {
    return this.#options.limits().resultKeptMs;
  }

  /** Keeps the text and gives its id. Throws `ToolError` STORE_ERROR where no folder takes it, and QUOTA_EXCEEDED where it is larger than all that may be kept. */
  async keep(agent: string, result: ResultToKeep): Promise<string> {
    const { keptResults, keptResultsBytes } = this.#options.limits();
    const bytes = Buffer.byteLength(result.text);
    if (keptResults === 0 || bytes > keptResultsBytes) {
      const limit = keptResults === 0 ? '"keptResults" is 0' : `"keptResultsBytes" is ${keptResultsBytes}`;
      throw new ToolError("QUOTA_EXCEEDED", `A result of ${bytes} bytes is not kept: ${limit}.`);
    }
    const id = newId();
    let last: unknown;
    for (const root of this.#options.folders("write")) {
      const folder = { root, name: agentFolderName(agent) };
      try {
        await this.#makeRoom(folder, bytes);
        await writeKept(folder, { ...result, id, characters: result.text.length, createdAtMs: this.#now() });
        this.#schedule();
        return id;
      } catch (error) {
        last = error;
      }
    }
    throw last ?? new ToolError("STORE_ERROR", "There is no folder to keep results in.", { audience: "operator" });
  }

  /** A page of a kept result. Throws `ToolError` RESULT_NOT_FOUND: the same for an unknown id, one of another agent, and one whose time is over. */
  async read(agent: string, id: string, range: PageRange = {}): Promise<ResultPage> {
    if (ID.test(id)) {
      for (const folder of this.#agentFolders(agent)) {
        const file = (await listFiles(folder)).find((stored) => stored.id === id);
        const kept = file === undefined || this.#isOver(file) ? undefined : readKept(folder, file);
        if (kept !== undefined) return { ...kept.result, ...cutPage(kept.text, range) };
      }
    }
    throw noSuchResult();
  }

  /** What is kept of this agent, newest first. */
  async list(agent: string): Promise<readonly KeptResult[]> {
    const found: KeptResult[] = [];
    for (const folder of this.#agentFolders(agent)) {
      for (const file of await listFiles(folder)) {
        const result = this.#isOver(file) ? undefined : await readHead(folder, file);
        if (result !== undefined) found.push(result);
      }
    }
    return found.sort((a, b) => b.createdAtMs - a.createdAtMs);
  }

  /** Removes what is over its time, of all agents; runs by itself while there is something kept. Never throws: what cannot be removed is logged. */
  async sweep(): Promise<void> {
    let isAnyLeft = false;
    try {
      for (const root of this.#options.folders("read")) {
        for (const folder of await listAgentFolders(root)) {
          for (const file of await listFiles(folder)) {
            if (this.#isOver(file)) await forgetFile(folder, file);
            else isAnyLeft = true;
          }
        }
      }
    } catch (error) {
      this.#options.log.warn("result.sweep.failed", { reason: messageOf(error) });
    }
    if (isAnyLeft) this.#schedule();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #agentFolders(agent: string): readonly AgentFolder[] {
    return this.#options.folders("read").map((root) => ({ root, name: agentFolderName(agent) }));
  }

  #isOver({ createdAtMs }: StoredFile): boolean {
    const ageMs = this.#now() - createdAtMs;
    // A time to come is a clock that was set back, or a file that somebody made: nothing of it is believed.
    return ageMs >= this.keptMs || ageMs < -60_000;
  }

  async #makeRoom(folder: AgentFolder, bytes: number): Promise<void> {
    const { keptResults, keptResultsBytes } = this.#options.limits();
    const newestFirst = (await listFiles(folder)).sort((a, b) => b.createdAtMs - a.createdAtMs);
    let left = keptResultsBytes - bytes;
    for (const [index, file] of newestFirst.entries()) {
      left -= file.bytes;
      if (this.#isOver(file) || index + 1 >= keptResults || left < 0) await forgetFile(folder, file);
    }
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // sweep() never rejects.
      void this.sweep();
    }, this.keptMs + 1_000);
    this.#timer.unref();
  }
}

/** What is said of an id that this caller cannot read, whatever the reason. */
export function noSuchResult(): ToolError {
  return new ToolError(
    "RESULT_NOT_FOUND",
    "There is no kept result of that id. Results are kept for an hour, for the agent that made the call. Call the tool again.",
  );
}

/** A name that says nothing and is fit for every file system, of an agent's name, which may be any text. */
function agentFolderName(agent: string): string {
  return createHash("sha256").update(agent).digest("hex").slice(0, 32);
}
