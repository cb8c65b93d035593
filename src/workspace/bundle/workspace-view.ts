/** The workspace as the library sees it that knows the rules of imports: a file system whose root is the workspace. */
import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type enhancedResolve from "enhanced-resolve";
import { isPackagePath, type Located, type ModuleFiles } from "./module-files.ts";

/** What the library takes for the path of the workspace. */
export const ROOT = "/workspace";

/** The library's own type of a file system. */
export type LibraryFileSystem = Parameters<typeof enhancedResolve.ResolverFactory.createResolver>[0]["fileSystem"];

/** Why a path that was looked at on the way leads nowhere. */
export type Obstacle =
  | Exclude<Located, { kind: "inside" | "missing" }>
  /** A package.json that cannot be understood. */
  | { readonly kind: "not-json"; readonly path: string };

/** What one bundle's imports were looked up in; what was looked at is taken as unchanged. */
export interface WorkspaceView {
  readonly fileSystem: LibraryFileSystem;
  /** The first of this import, if there was one. */
  readonly obstacle: Obstacle | undefined;
  /** The next import begins. */
  begin(): void;
  locate(path: string): Located;
  /** Tells of what lay where a file was looked for and is none, but for the folders on the way to what was found. */
  noteInTheWay(found: string): void;
}

/** What a view is made of. */
export interface ViewOptions {
  readonly root: string;
  readonly files: ModuleFiles;
  /** A path was looked at: what {@link ModuleFiles.contentOf} says of it. */
  readonly onLook: (path: string, content: string) => void;
}

/** A view for one bundle. */
export function createWorkspaceView({ root, files, onLook }: ViewOptions): WorkspaceView {
  const located = new Map<string, Located>();
  const texts = new Map<string, Buffer | undefined>();
  const values = new Map<Buffer, unknown>();
  const stats = new Map<string, Stats | undefined>();
  let obstacle: Obstacle | undefined;
  let noFiles: string[] = [];
  const locate = (path: string): Located => {
    const known = located.get(path) ?? files.locate(path);
    located.set(path, known);
    // Noted as it was seen: looked at once more, it may already be what the import needs.
    if (known.kind !== "inside") onLook(path, known.kind);
    if (known.kind === "outside" || known.kind === "unreadable") obstacle ??= known;
    return known;
  };
  const enter = (path: string): string => {
    // Above the workspace nothing is looked at; that a search goes there is usual.
    if (path !== ROOT && !path.startsWith(`${ROOT}/`)) throw notThere();
    const place = locate(path.slice(ROOT.length + 1));
    if (place.kind !== "inside") throw notThere();
    return place.path;
  };
  const readText = (path: string): Buffer => {
    const inside = enter(path);
    const bytes = texts.has(inside) ? texts.get(inside) : readPackageFile(inside);
    texts.set(inside, bytes);
    if (bytes === undefined) throw notThere();
    return bytes;
  };
  const readPackageFile = (path: string): Buffer | undefined => {
    const { file, content } = files.read(path);
    onLook(path, content);
    return file.kind === "read" ? file.bytes : undefined;
  };
  // Read for each import of a package anew, and some are long.
  const readJson = (path: string): unknown => {
    const bytes = readText(path);
    const value = values.has(bytes) ? values.get(bytes) : parseObject(bytes);
    values.set(bytes, value);
    if (value !== undefined) return value;
    obstacle ??= { kind: "not-json", path: path.slice(ROOT.length + 1) };
    throw new SyntaxError("not a JSON object");
  };
  const unused = (): never => {
    throw notThere();
  };
  const stat = (path: string): Stats => {
    const inside = enter(path);
    const found = stats.get(inside) ?? statSync(join(root, inside), { throwIfNoEntry: false });
    stats.set(inside, found);
    if (found === undefined) throw notThere();
    if (!found.isFile()) noFiles.push(path.slice(ROOT.length + 1));
    return found;
  };
  const synchronous: unknown = {
    statSync: stat,
    readFileSync: readText,
    readJsonSync: readJson,
    readlinkSync: unused,
    readdirSync: unused,
  };
  return {
    // With `useSyncFileSystemCalls` the library calls these and no other (SyncAsyncFileSystemDecorator); its types ask for all.
    fileSystem: synchronous as LibraryFileSystem,
    get obstacle() {
      return obstacle;
    },
    begin() {
      obstacle = undefined;
      noFiles = [];
    },
    locate,
    noteInTheWay(found) {
      for (const path of noFiles) {
        if (path !== "" && !isPackagePath(path) && !found.startsWith(`${path}/`)) onLook(path, "not-a-file");
      }
    },
  };
}

/** The object that the text of a package.json stands for, a byte order mark skipped as npm does; undefined where it is none. */
function parseObject(bytes: Buffer): object | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function notThere(): Error {
  return Object.assign(new Error("not there"), { code: "ENOENT" });
}
