import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { systemCode, ToolError } from "../core/errors.ts";
import { acquireFileLock } from "../core/file-lock.ts";
import { ensurePrivateFolder, fileSignature, readPrivateFile, removeLeftovers, replacePrivateFile } from "../core/private-file.ts";

/** A workspace as it presents itself. */
export interface WorkspaceIdentity {
  /** From `.toolyard/id`, or made of device and inode in a read-only folder. Others may have written it. */
  readonly id: string;
  readonly realPath: string;
}

/** Version of the record's format. */
const VERSION = 1;

/** Largest record, in bytes: tens of thousands of entries. */
const MAX_BYTES = 4 * 1_024 * 1_024;

const ENTRY = z.strictObject({
  kind: z.enum(["private-host", "global-secret", "limit"]),
  tool: z.string(),
  value: z.string(),
  trustedAtMs: z.int().min(0),
});

const RECORD = z.strictObject({
  version: z.literal(VERSION),
  id: z.string(),
  path: z.string(),
  confirmed: z.boolean(),
  hadAgents: z.boolean(),
  noAgentsPath: z.string().optional(),
  entries: z.array(ENTRY),
});

/**
 * What is recorded of a workspace. `confirmed` false: a server saw it, no person decided anything. `noAgentsPath`: where a
 * person said, after all agents there had been, that there shall be none any more.
 */
export type TrustRecord = Readonly<z.infer<typeof RECORD>>;

/** The record of one workspace on disk. All throw `ToolError` STORE_ERROR or FILE_VERSION if a file cannot be used. */
export interface RecordFile {
  /** The record as it is now; the same object while the file does not change. One system call then. */
  load(): TrustRecord | undefined;
  /** Records of other ids at the same path, by reading all of them. */
  othersAtThisPath(): readonly TrustRecord[];
  /** Replaces the record under its lock. `edit` gets the present one, or an empty one that confirms nothing. */
  change(edit: (record: TrustRecord) => TrustRecord): Promise<void>;
}

/** The record of the workspace in `home/workspaces`. Throws `ToolError` WORKSPACE_BROKEN for a malformed id. */
export function openRecordFile(home: string, { id, realPath }: WorkspaceIdentity): RecordFile {
  // The id becomes a file name; "../vault" must not. Lower case: some file systems take "A" and "a" for one.
  if (!/^[a-z0-9][a-z0-9-]{7,127}$/.test(id)) {
    throw new ToolError("WORKSPACE_BROKEN", "The id of the workspace in .toolyard/id is malformed. Delete that file; a new one is made.");
  }
  const folder = join(home, "workspaces");
  const path = join(folder, `${id}.json`);
  let kept: { readonly signature: string | undefined; readonly record: TrustRecord | undefined } | undefined;

  const load = (): NonNullable<typeof kept> => {
    const signature = fileSignature(path);
    if (kept !== undefined && kept.signature === signature) return kept;
    const read = readRecord(path);
    if (read !== undefined && read.record.id !== id) throw unusable(path, "it belongs to another workspace");
    kept = { signature: read?.signature, record: read?.record };
    return kept;
  };
  return {
    load: () => load().record,
    othersAtThisPath: () =>
      recordsIn(folder)
        .filter((file) => file !== path)
        .flatMap((file) => readRecord(file)?.record ?? [])
        .filter((record) => record.path === realPath),
    async change(edit) {
      ensurePrivateFolder(folder);
      using lock = await acquireFileLock(`${path}.lock`);
      removeLeftovers(path);
      const { record, signature } = load();
      const next = edit(record ?? { version: VERSION, id, path: realPath, confirmed: false, hadAgents: false, entries: [] });
      const beforeCommit = (): void => {
        if (lock.isHeld() && fileSignature(path) === signature) return;
        throw unusable(path, "another process changed it meanwhile; nothing was changed by this one, try again");
      };
      replacePrivateFile(path, `${JSON.stringify(next, null, 2)}\n`, { backup: "none", beforeCommit });
    },
  };
}

function recordsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(folder, name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw unusable(folder, systemCode(error), error);
  }
}

function readRecord(path: string): { readonly record: TrustRecord; readonly signature: string } | undefined {
  const read = readPrivateFile(path, MAX_BYTES);
  if (read === undefined) return undefined;
  const json = parseJson(read.text);
  const newer = z.object({ version: z.int().min(VERSION + 1) }).safeParse(json);
  if (newer.success) {
    const message = `${path} has version ${newer.data.version}; this toolyard reads version ${VERSION}. Update toolyard.`;
    throw new ToolError("FILE_VERSION", message, { audience: "operator" });
  }
  const parsed = RECORD.safeParse(json);
  if (!parsed.success) throw unusable(path, `"${parsed.error.issues[0]?.path.join(".") ?? ""}" is not as toolyard writes it`);
  return { record: parsed.data, signature: read.signature };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is no record either; the check that follows says so.
    return undefined;
  }
}

function unusable(path: string, found: string, cause?: unknown): ToolError {
  return new ToolError(
    "STORE_ERROR",
    `${path} cannot be used: ${found}. Nothing is trusted by it until that is mended; delete the file to begin anew with toolyard trust.`,
    { cause, audience: "operator" },
  );
}
