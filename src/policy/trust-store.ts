/**
 * What a person trusted a workspace with, kept in toolyard's own folder, where the workspace cannot write. Trust is per
 * kind, tool and exact value. A workspace is known by its real path and its id together: where they do not agree with what
 * was recorded, nothing is trusted until a person has looked (`adopt`).
 */
import { ToolError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { openRecordFile, type RecordFile, type TrustRecord, type WorkspaceIdentity } from "./trust-record.ts";

/** Something that widens what a workspace may do. */
export interface TrustEntry {
  /** `private-host`: `value` is `host:port`. `global-secret`: `value` is made by `globalSecretValue`. `limit`: `name=value`. */
  readonly kind: "private-host" | "global-secret" | "limit";
  /** Name of the tool it is for. */
  readonly tool: string;
  readonly value: string;
}

/**
 * `known`: a person confirmed this id at this path. `new`: nothing is recorded of either. `moved`: the id was confirmed at
 * another path (a moved or copied folder), or another id at this path (another folder put there).
 */
export type TrustState = "known" | "new" | "moved";

/** What is trusted in one workspace, as of each call. Every method throws `ToolError` STORE_ERROR or FILE_VERSION if the record cannot be used. */
export interface Trust {
  /** How the workspace's path and id fit what is recorded. One system call for a known workspace. */
  state(): TrustState;
  /** Where the id was confirmed; undefined if it never was. */
  confirmedPath(): string | undefined;
  /** True if a person trusted exactly this, in this workspace. */
  has(entry: TrustEntry): boolean;
  /** When a person trusted exactly this, in milliseconds since 1970; undefined: never. */
  trustedAtMs(entry: TrustEntry): number | undefined;
  /** All that is trusted now; nothing in a workspace that is not known. */
  entries(): readonly TrustEntry[];
  /** Records what a person trusted. Confirms a new workspace; for one that moved throws NOT_TRUSTED: `adopt` comes first. */
  add(entries: readonly TrustEntry[]): Promise<void>;
  /** Takes trust back. */
  remove(entries: readonly TrustEntry[]): Promise<void>;
  /**
   * A person confirmed that this folder is the workspace of that id. What was trusted at another path is dropped, since
   * the folder may hold something else now; secrets stored under the id are in force again.
   */
  adopt(): Promise<void>;
  /**
   * True if this workspace, by id or by path, ever had agents and no person ended that since: taking them out of its files
   * must not open all tools to everybody.
   */
  hadAgents(): boolean;
  /** Remembers that the workspace has agents. Confirms nothing. An end that a person said before counts no more. */
  recordAgents(): Promise<void>;
  /** True if it had agents, and a person said at this path that there shall be none any more. */
  haveAgentsEnded(): boolean;
  /** A person said that there shall be no agents here any more. For a workspace that moved throws NOT_TRUSTED: `adopt` comes first. */
  endAgents(): Promise<void>;
  /** Takes that back: without agents nobody may use the tools again. */
  resumeAgents(): Promise<void>;
}

/** What can be asked of a folder that may have no id. */
export type TrustView = Pick<Trust, "state" | "has" | "trustedAtMs" | "hadAgents">;

/** What is recorded of the path of a folder that has no id, be it that none was made or that somebody took it away. */
export function openPathTrust(home: string, realPath: string): TrustView {
  // By an id that nobody has, only what is recorded of the path is found.
  return openTrust(home, { id: newId(), realPath });
}

/** Where a global secret may go is part of what is trusted: with other hosts it is another value, which nobody trusted. */
export function globalSecretValue(name: string, hosts: readonly string[]): string {
  return `${name} → ${[...hosts].sort().join(", ")}`;
}

/** Opens what is recorded of a workspace in `home`. Throws `ToolError` WORKSPACE_BROKEN for a malformed id; files are read when asked for. */
export function openTrust(home: string, identity: WorkspaceIdentity): Trust {
  const file = openRecordFile(home, identity);
  const isKnown = (): boolean => state(file, identity) === "known";
  const trustedAtMs = (entry: TrustEntry): number | undefined => {
    const found = file.load()?.entries.find(isSameAs(entry));
    return found !== undefined && isKnown() ? found.trustedAtMs : undefined;
  };
  return {
    state: () => state(file, identity),
    confirmedPath: () => {
      const record = file.load();
      return record?.confirmed === true ? record.path : undefined;
    },
    trustedAtMs,
    has: (entry) => trustedAtMs(entry) !== undefined,
    entries: () => (isKnown() ? (file.load()?.entries.map(({ kind, tool, value }) => ({ kind, tool, value })) ?? []) : []),
    add: (entries) =>
      file.change((record) => {
        if (state(file, identity) === "moved") throw moved();
        const trustedAtMs = Date.now();
        const kept = record.entries.filter((known) => !entries.some(isSameAs(known)));
        const added = entries.map(({ kind, tool, value }) => ({ kind, tool, value, trustedAtMs }));
        // A new workspace may have been seen by a server at another path before.
        return { ...record, path: identity.realPath, confirmed: true, entries: [...kept, ...added] };
      }),
    async remove(entries) {
      if (file.load() === undefined) return;
      await file.change((record) => ({ ...record, entries: record.entries.filter((known) => !entries.some(isSameAs(known))) }));
    },
    adopt: () =>
      file.change((record) => {
        const entries = record.confirmed && record.path === identity.realPath ? record.entries : [];
        return { ...record, path: identity.realPath, confirmed: true, entries };
      }),
    ...agentMemory(home, identity, file),
  };
}

type AgentMemory = Pick<Trust, "hadAgents" | "recordAgents" | "haveAgentsEnded" | "endAgents" | "resumeAgents">;

function agentMemory(home: string, identity: WorkspaceIdentity, file: RecordFile): AgentMemory {
  const { realPath } = identity;
  const countsAgents = (record: TrustRecord): boolean => record.hadAgents && record.noAgentsPath !== realPath;
  const here = (): readonly TrustRecord[] => [file.load() ?? [], file.othersAtThisPath()].flat().filter((record) => record.hadAgents);
  const hadAgents = (): boolean => here().some(countsAgents);
  // Each record by itself: one id at this path must not speak for agents that another gets later.
  const mark = async (noAgentsPath: string | undefined): Promise<void> => {
    for (const { id } of here()) await openRecordFile(home, { id, realPath }).change((record) => ({ ...record, noAgentsPath }));
  };
  return {
    hadAgents,
    async recordAgents() {
      const record = file.load();
      if (record?.hadAgents === true && record.noAgentsPath === undefined) return;
      await file.change((known) => ({ ...known, hadAgents: true, noAgentsPath: undefined }));
    },
    haveAgentsEnded: () => !hadAgents() && here().length > 0,
    async endAgents() {
      if (state(file, identity) === "moved") throw moved();
      await mark(realPath);
    },
    resumeAgents: () => mark(undefined),
  };
}

function state(file: RecordFile, { realPath }: WorkspaceIdentity): TrustState {
  const record = file.load();
  if (record?.confirmed === true) return record.path === realPath ? "known" : "moved";
  return file.othersAtThisPath().some((other) => other.confirmed) ? "moved" : "new";
}

/** Whether another entry is the same: trust is per kind, tool and exact value. */
export function isSameAs(entry: TrustEntry): (other: TrustEntry) => boolean {
  return (other) => other.kind === entry.kind && other.tool === entry.tool && other.value === entry.value;
}

function moved(): ToolError {
  return new ToolError(
    "NOT_TRUSTED",
    "The workspace is not the one that was recorded: its folder moved, was copied, or another one was put at its path. Its secrets and what it was trusted with are off. Look at it and decide: toolyard trust",
  );
}
