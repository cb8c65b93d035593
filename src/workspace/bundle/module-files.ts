/**
 * Files of a workspace as modules. A module is a regular file that lies inside the workspace once links are resolved,
 * in no hidden folder and not in the server's own; nothing else is opened. What was read is remembered by its hash, so that a
 * change of any of it is noticed.
 */
import { realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { createFileMemory } from "../file-memory.ts";
import { failureOf, type InsideFile } from "../inside-file.ts";

/** Largest file that is imported, in bytes; JSON and text count as code does. */
export const MAX_MODULE_BYTES = 1_048_576;

/** Where a path leads: the same file by its real path, or nowhere that may be read. */
export type Located =
  | { readonly kind: "inside"; readonly path: string }
  | { readonly kind: "missing" }
  /** Out of the workspace, or into a hidden folder. */
  | { readonly kind: "outside" }
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * Files one bundle was made of: content hash by path, for a path with links on its way also where it leads, or the word for what was
 * found in its place, such as "missing". {@link Located} has the same words for the same paths, or a bundle never was what it is.
 */
export type BundleInputs = ReadonlyMap<string, string>;

/** The module files of one workspace. Paths are relative to it, with "/". */
export interface ModuleFiles {
  locate(path: string): Located;
  /** Reads the file now. Kind "outside" also for hidden files. */
  read(path: string): { readonly file: InsideFile; readonly content: string };
  /** Content as of now, in the form of {@link BundleInputs}; reads only if the file's stamp changed. */
  contentOf(path: string): string;
  /** True if the file is what was read last. One stat. */
  isFresh(path: string): boolean;
  /** The next look at this file, or at all, reads. */
  distrust(path?: string): void;
  keepOnly(paths: ReadonlySet<string>): void;
  /** Folders, absolute and real, of what was read, those of packages left out. */
  folders(): readonly string[];
}

/** Module files of the workspace at `root`. */
export function createModuleFiles(root: string): ModuleFiles {
  const memory = createFileMemory<string>(root);
  const look = (path: string, onRead: (file: InsideFile) => void): string =>
    memory.look(path, {
      maxBytes: MAX_MODULE_BYTES,
      purpose: "",
      judge: (read, content) => wordFor(root, path, read, content),
      onRead,
    });
  return {
    locate: (path) => locate(root, path),
    read(path) {
      memory.distrust(path);
      let file: InsideFile = { kind: "missing" };
      const content = look(path, (read) => {
        file = read;
      });
      return { file: isHiddenFile(root, file) ? { kind: "outside" } : file, content };
    },
    contentOf: (path) => look(path, () => undefined),
    isFresh: (path) => !memory.isStale(path),
    distrust: memory.distrust,
    keepOnly: memory.keepOnly,
    folders: () => memory.folders().filter((folder) => !folder.split(sep).includes("node_modules")),
  };
}

/** True if a path relative to the workspace has a part that is hidden. pnpm keeps packages in such a folder. */
function isHiddenPath(path: string): boolean {
  const parts = path.split("/");
  return parts.some((part, index) => part.startsWith(".") && !(part === ".pnpm" && parts[index - 1] === "node_modules"));
}

/** True for a file of a package. */
export function isPackagePath(path: string): boolean {
  return path.split("/").includes("node_modules");
}

function isHiddenFile(root: string, file: InsideFile): boolean {
  if (file.kind !== "read") return false;
  return isHiddenPath(relative(realpathSync.native(root), file.realPath).split(sep).join("/"));
}

/** What is remembered of a file; see {@link BundleInputs}. */
function wordFor(root: string, path: string, read: InsideFile, content: string): string {
  const place = locate(root, path);
  if (place.kind !== "inside") return place.kind;
  if (isHiddenFile(root, read)) return "outside";
  return read.kind !== "read" || place.path === path ? content : content + LINKED + place.path;
}

/** Stands before the path that a link leads to. */
const LINKED = " at ";

/** True if the content is that of a link to this file. */
export function leadsTo(content: string, real: string): boolean {
  return content.endsWith(LINKED + real);
}

/** True for the content of a path that has links on its way. */
export function isLinked(content: string): boolean {
  return content.includes(LINKED);
}

function locate(root: string, path: string): Located {
  if (path.split("/").includes("..")) return { kind: "outside" };
  try {
    const realRoot = realpathSync.native(root);
    const below = relative(realRoot, realpathSync.native(join(realRoot, path)))
      .split(sep)
      .join("/");
    const isOutside = below === ".." || below.startsWith("../") || below.startsWith("/") || below.includes(":");
    return isOutside || isHiddenPath(below) ? { kind: "outside" } : { kind: "inside", path: below };
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === "unreadable" ? failure : { kind: "missing" };
  }
}
