/**
 * Where the imports of scripts and packages lead, by Node's rules and those of bundlers for browsers: files of the
 * workspace, and packages of its own node_modules. The library that knows the rules sees the workspace alone: it is given
 * a file system whose root is the workspace.
 */
import { type Stats, statSync } from "node:fs";
import { join, posix } from "node:path";
import enhancedResolve from "enhanced-resolve";
import { builtinText, isBuiltin } from "./builtin-advice.ts";
import type { ImportFault, ImportFaultCode, ImportRequest, ResolveAnswer } from "./bundle-protocol.ts";
import { isPackagePath, type Located, type ModuleFiles } from "./module-files.ts";

/** What the library takes for the path of the workspace. */
const ROOT = "/workspace";

/** Answers the imports of one bundle. */
export interface ModuleResolver {
  resolve(request: ImportRequest): ResolveAnswer;
}

/** Where a resolver looks, and who notes what it found. */
export interface ResolverOptions {
  readonly root: string;
  readonly files: ModuleFiles;
  /** A file was read (its content hash), or looked for in vain ("missing"). */
  readonly onLook: (path: string, content: string) => void;
}

type Library = ReturnType<typeof enhancedResolve.ResolverFactory.createResolver>;
type FileSystem = Parameters<typeof enhancedResolve.ResolverFactory.createResolver>[0]["fileSystem"];

/** A resolver for one bundle; what it has looked at it takes as unchanged. */
export function createModuleResolver(options: ResolverOptions): ModuleResolver {
  const view = createView(options);
  const libraries = new Map<string, Library>();
  const libraryFor = ({ specifier, importer, style }: ImportRequest): Library => {
    const isPackage = isPackagePath(importer) || !/^[.#]/.test(specifier);
    const key = `${style} ${isPackage}`;
    const known = libraries.get(key) ?? createLibrary(view.fileSystem, style, isPackage);
    libraries.set(key, known);
    return known;
  };
  return {
    resolve(request) {
      const fault = formFault(request);
      if (fault !== undefined) return fault;
      view.metOutside = false;
      const found = lookUp(libraryFor(request), request);
      if (found.kind === "empty") return found;
      if (found.kind === "none") return orAbsent(missing(request, view.metOutside, options), request);
      const located = view.locate(found.path);
      if (located.kind === "inside") {
        if (located.path !== found.path && !isPackagePath(found.path)) options.onLook(found.path, options.files.contentOf(found.path));
        return { kind: "module", path: located.path, sideEffects: found.sideEffects };
      }
      return orAbsent(missing(request, located.kind === "outside", options), request);
    },
  };
}

/** Forms of an import that lead nowhere, whatever lies there. */
function formFault({ specifier, importer }: ImportRequest): ImportFault | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(specifier) && !specifier.startsWith("node:")) {
    return refused(
      "IMPORT_UNSUPPORTED",
      `"${specifier}" is an address. Files of the workspace and packages of its node_modules can be imported.`,
    );
  }
  if (specifier.startsWith("/") || specifier.startsWith("\\")) return outside(specifier);
  const isRelative = specifier === "." || specifier === ".." || /^\.\.?\//.test(specifier);
  return isRelative && posix.join(posix.dirname(importer), specifier).startsWith("..") ? outside(specifier) : undefined;
}

type Found =
  | { readonly kind: "file"; readonly path: string; readonly sideEffects: boolean }
  | { readonly kind: "empty" }
  | { readonly kind: "none" };

function lookUp(library: Library, { specifier, importer }: ImportRequest): Found {
  const answers: Found[] = [];
  const folder = `${ROOT}/${importer}`.replace(/\/[^/]*$/, "");
  // With a file system that answers at once, so does the library.
  library.resolve({}, folder, specifier, {}, (error, path, details) => {
    if (error) return;
    if (path === false) answers.push({ kind: "empty" });
    else if (typeof path === "string" && path.startsWith(`${ROOT}/`)) {
      answers.push({ kind: "file", path: path.slice(ROOT.length + 1), sideEffects: hasSideEffects(details?.descriptionFileData) });
    }
  });
  return answers[0] ?? { kind: "none" };
}

/** `"sideEffects": false` in package.json: a module of which nothing is used can be left out. Lists of files count as true. */
function hasSideEffects(description: unknown): boolean {
  if (typeof description !== "object" || description === null || !("sideEffects" in description)) return true;
  const { sideEffects } = description;
  return !(sideEffects === false || (Array.isArray(sideEffects) && sideEffects.length === 0));
}

function orAbsent(fault: ImportFault, { importer, style }: ImportRequest): ResolveAnswer {
  const mayBeReady = style === "require" && isPackagePath(importer) && fault.code !== "IMPORT_OUTSIDE";
  return mayBeReady ? { kind: "absent", text: fault.text } : fault;
}

function missing({ specifier, importer }: ImportRequest, metOutside: boolean, { files }: ResolverOptions): ImportFault {
  const byPackage = isPackagePath(importer);
  if (isBuiltin(specifier)) return refused("IMPORT_UNSUPPORTED", builtinText(specifier, byPackage));
  if (metOutside) return outside(specifier);
  if (specifier.startsWith(".")) return refused("IMPORT_MISSING", `"${specifier}" is not there. Paths are relative to ${importer}.`);
  if (specifier.startsWith("#")) return refused("IMPORT_MISSING", `"${specifier}" stands in no "imports" of a package.json.`);
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (files.locate(`node_modules/${name}/package.json`).kind === "inside") {
    return refused("IMPORT_MISSING", `The package "${name}" has no "${specifier}", or none for where there is no Node.`);
  }
  const advice = byPackage ? "Install the packages of this workspace again." : `Run in the workspace: npm install ${name}`;
  return refused("IMPORT_MISSING", `The package "${name}" is not in node_modules of the workspace. ${advice}`);
}

function outside(specifier: string): ImportFault {
  const text = `"${specifier}" leads out of the workspace, or into a hidden folder of it. Only files inside can be imported.`;
  return refused("IMPORT_OUTSIDE", text);
}

function refused(code: ImportFaultCode, text: string): ImportFault {
  return { kind: "refused", code, text };
}

function createLibrary(fileSystem: FileSystem, style: ImportRequest["style"], isPackage: boolean): Library {
  return enhancedResolve.ResolverFactory.createResolver({
    fileSystem,
    useSyncFileSystemCalls: true,
    unsafeCache: false,
    pnpApi: null,
    // Real paths are looked up here, where it is seen whether they lie inside.
    symlinks: false,
    aliasFields: ["browser"],
    mainFields: ["browser", "module", "main"],
    conditionNames: [style, "module", "browser", "default"],
    // In a package its built files come first; in the workspace the sources its author writes.
    extensions: isPackage ? [".js", ".mjs", ".cjs", ".json", ".ts", ".mts"] : [".ts", ".mts", ".js", ".mjs", ".cjs", ".json"],
    extensionAlias: { ".js": [".js", ".ts"], ".mjs": [".mjs", ".mts"], ".cjs": [".cjs", ".cts"] },
  });
}

/** The workspace as the library sees it. */
interface View {
  readonly fileSystem: FileSystem;
  /** A path that was looked at leads out of the workspace. */
  metOutside: boolean;
  locate(path: string): Located;
}

function createView({ root, files, onLook }: ResolverOptions): View {
  const located = new Map<string, Located>();
  const texts = new Map<string, Buffer | undefined>();
  const locate = (path: string): Located => {
    const known = located.get(path) ?? files.locate(path);
    located.set(path, known);
    if (known.kind === "missing") onLook(path, "missing");
    return known;
  };
  const enter = (path: string): string => {
    // Above the workspace nothing is looked at; that a search goes there is usual.
    if (path !== ROOT && !path.startsWith(`${ROOT}/`)) throw notThere();
    const place = locate(path.slice(ROOT.length + 1));
    if (place.kind === "inside") return place.path;
    view.metOutside ||= place.kind === "outside";
    throw notThere();
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
  const values = new Map<Buffer, unknown>();
  // Read for each import of a package anew, and some are long.
  const readJson = (path: string): unknown => {
    const bytes = readText(path);
    const value: unknown = values.get(bytes) ?? JSON.parse(bytes.toString("utf8"));
    values.set(bytes, value);
    return value;
  };
  const unused = (): never => {
    throw notThere();
  };
  const stats = new Map<string, Stats | undefined>();
  const stat = (path: string): Stats => {
    const inside = enter(path);
    const found = stats.get(inside) ?? statSync(join(root, inside), { throwIfNoEntry: false });
    stats.set(inside, found);
    if (found === undefined) throw notThere();
    return found;
  };
  const synchronous: unknown = {
    statSync: stat,
    readFileSync: readText,
    readJsonSync: readJson,
    readlinkSync: unused,
    readdirSync: unused,
  };
  const view: View = {
    // With `useSyncFileSystemCalls` the library calls these and no other (SyncAsyncFileSystemDecorator); its types ask for all.
    fileSystem: synchronous as FileSystem,
    metOutside: false,
    locate,
  };
  return view;
}

function notThere(): Error {
  return Object.assign(new Error("not there"), { code: "ENOENT" });
}
