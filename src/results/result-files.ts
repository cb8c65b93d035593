/**
 * Files of kept results: `<root>/<agent>/<created>-<id>.txt`, 0600 in folders of 0700. The first line is JSON about the
 * result, the rest its text. The folder may lie in a workspace that somebody else wrote: no link in it is followed.
 */
import { constants } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { systemCode, ToolError } from "../core/errors.ts";
import { readPrivateFile } from "../core/private-file.ts";
import type { KeptResult } from "../core/tool.ts";

/** The folder of one agent in a folder for results. */
export interface AgentFolder {
  readonly root: string;
  readonly name: string;
}

/** A file by its name and size; what is in it is not known yet. */
export interface StoredFile {
  readonly id: string;
  readonly createdAtMs: number;
  readonly bytes: number;
}

/** Format of the files; one with another is not read. */
const FORMAT_VERSION = 1;

/** Largest file that is read, in bytes; larger ones are not ours. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

const NAME = /^(\d{1,15})-([0-9a-v]{26})\.txt$/;

const AGENT_FOLDER = /^[0-9a-f]{32}$/;

const headSchema = z.object({
  version: z.literal(FORMAT_VERSION),
  tool: z.string(),
  mimeType: z.enum(["application/json", "text/plain"]),
  characters: z.int().min(0),
});

/** Longest first line, in bytes: names of tools have at most 128 characters. */
const MAX_HEAD_BYTES = 1_024;

/** Writes a new file. Throws `ToolError` STORE_ERROR; nothing is left then. */
export async function writeKept(folder: AgentFolder, { text, ...result }: KeptResult & { readonly text: string }): Promise<void> {
  const { tool, mimeType, characters } = result;
  const path = pathOf(folder, result);
  try {
    await ensureFolder(folder.root, { parents: true });
    await ensureFolder(join(folder.root, folder.name), { parents: false });
    // The name is new and told to nobody before the file is whole, so it needs no second name to become visible at once.
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      // The umask may have taken the owner's own rights.
      await file.chmod(0o600);
      await file.writeFile(`${JSON.stringify({ version: FORMAT_VERSION, tool, mimeType, characters })}\n${text}`);
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined); // What matters is why it could not be written.
    throw storeError("A result could not be kept", error);
  }
}

/** Files of an agent, in no order; none where there is no such folder. Throws `ToolError` STORE_ERROR. */
export async function listFiles(folder: AgentFolder): Promise<StoredFile[]> {
  const path = join(folder.root, folder.name);
  const files: StoredFile[] = [];
  for (const name of await namesIn(path)) {
    const [, created, id] = NAME.exec(name) ?? [];
    if (created === undefined || id === undefined) continue;
    const stats = await lstat(join(path, name)).catch(() => undefined); // Another server may have removed it since.
    if (stats?.isFile() === true) files.push({ id, createdAtMs: Number(created), bytes: stats.size });
  }
  return files;
}

/** Folders of all agents in a folder for results. Throws `ToolError` STORE_ERROR. */
export async function listAgentFolders(root: string): Promise<readonly AgentFolder[]> {
  const names = await namesIn(root);
  return names.filter((name) => AGENT_FOLDER.test(name)).map((name) => ({ root, name }));
}

/** What a file says of its result; undefined if it is gone, or is none of ours. Throws `ToolError` STORE_ERROR where it cannot be read. */
export async function readHead(folder: AgentFolder, stored: StoredFile): Promise<KeptResult | undefined> {
  try {
    // O_NONBLOCK: a pipe put there does not hang. Windows has neither flag.
    const file = await open(pathOf(folder, stored), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEAD_BYTES), 0, MAX_HEAD_BYTES, 0);
      return parseHead(buffer.toString("utf8", 0, bytesRead), stored);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw storeError("A kept result could not be read", error);
  }
}

/** The same with its text. */
export function readKept(folder: AgentFolder, stored: StoredFile): { readonly result: KeptResult; readonly text: string } | undefined {
  const content = readPrivateFile(pathOf(folder, stored), MAX_FILE_BYTES)?.text;
  const result = content === undefined ? undefined : parseHead(content.slice(0, MAX_HEAD_BYTES), stored);
  return content === undefined || result === undefined ? undefined : { result, text: content.slice(content.indexOf("\n") + 1) };
}

/** Removes a file; one that is gone already is no error. Throws `ToolError` STORE_ERROR. */
export async function forgetFile(folder: AgentFolder, file: StoredFile): Promise<void> {
  try {
    await rm(pathOf(folder, file), { force: true });
  } catch (error) {
    throw storeError("A kept result could not be removed", error);
  }
}

/** Of the beginning of a file. */
function parseHead(content: string, { id, createdAtMs }: StoredFile): KeptResult | undefined {
  try {
    const { data } = headSchema.safeParse(JSON.parse(content.slice(0, content.indexOf("\n"))));
    return data === undefined ? undefined : { id, tool: data.tool, mimeType: data.mimeType, characters: data.characters, createdAtMs };
  } catch {
    return undefined; // No JSON: none of ours.
  }
}

function pathOf({ root, name }: AgentFolder, { id, createdAtMs }: Pick<StoredFile, "id" | "createdAtMs">): string {
  return join(root, name, `${createdAtMs}-${id}.txt`);
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    // A link would have us list, and remove, files of another folder.
    if (!(await lstat(dirname(path))).isDirectory() || !(await lstat(path)).isDirectory()) return [];
    return await readdir(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return [];
    throw storeError("Kept results could not be listed", error);
  }
}

/** A folder of 0700 that is no link; others' rights to one that is there are taken away. */
async function ensureFolder(path: string, { parents }: { readonly parents: boolean }): Promise<void> {
  if (parents) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (systemCode(error) !== "EEXIST") throw error;
  });
  const stats = await lstat(path);
  if (!stats.isDirectory())
    throw new ToolError("STORE_ERROR", `${path} is a link or a file, not a folder. Remove it; the server makes its own.`, {
      audience: "operator",
    });
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) await chmod(path, 0o700);
}

function storeError(what: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  return new ToolError("STORE_ERROR", `${what} (${systemCode(error)}).`, {
    cause: error,
    audience: "operator",
    data: { reason: systemCode(error) },
  });
}
