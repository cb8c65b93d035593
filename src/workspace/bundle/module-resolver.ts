/**
 * Where the imports of scripts and packages lead, by Node's rules and those of bundlers for browsers: files of the
 * workspace, and packages of its own node_modules. The library that knows the rules sees the workspace alone: it is given
 * a file system whose root is the workspace.
 */
import { posix } from "node:path";
import enhancedResolve from "enhanced-resolve";
import { shownName } from "../../core/text.ts";
import { builtinText, isBuiltin } from "./builtin-advice.ts";
import type { ImportFault, ImportFaultCode, ImportRequest, ResolveAnswer } from "./bundle-protocol.ts";
import { isPackagePath, leadsTo, type ModuleFiles } from "./module-files.ts";
import { createWorkspaceView, type LibraryFileSystem, ROOT, type WorkspaceView } from "./workspace-view.ts";

/** Answers the imports of one bundle. */
export interface ModuleResolver {
  resolve(request: ImportRequest): ResolveAnswer;
}

/** Where a resolver looks, and who notes what it found. */
export interface ResolverOptions {
  readonly root: string;
  readonly files: ModuleFiles;
  /** A path was looked at: what {@link ModuleFiles.contentOf} says of it. */
  readonly onLook: (path: string, content: string) => void;
}

type Library = ReturnType<typeof enhancedResolve.ResolverFactory.createResolver>;

/** A resolver for one bundle; what it has looked at it takes as unchanged. */
export function createModuleResolver(options: ResolverOptions): ModuleResolver {
  const view = createWorkspaceView(options);
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
      view.begin();
      const found = lookUp(libraryFor(request), request);
      if (found.kind === "empty") return found;
      view.noteInTheWay(found.kind === "file" ? found.path : "");
      if (found.kind === "none") return orAbsent(missing(request, view, options), request);
      const located = view.locate(found.path);
      if (located.kind !== "inside") return orAbsent(missing(request, view, options), request);
      // Which file a link leads to is a part of what was found, and another one may have the same bytes.
      if (located.path !== found.path) {
        const content = options.files.contentOf(found.path);
        // Pointed elsewhere meanwhile: no look finds this word, so the next one makes the bundle anew.
        options.onLook(found.path, leadsTo(content, located.path) ? content : "changed");
      }
      return { kind: "module", path: located.path, sideEffects: found.sideEffects };
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

function missing({ specifier: written, importer }: ImportRequest, { obstacle }: WorkspaceView, { files }: ResolverOptions): ImportFault {
  const byPackage = isPackagePath(importer);
  const specifier = shownName(written);
  if (isBuiltin(written)) return refused("IMPORT_UNSUPPORTED", builtinText(written, byPackage));
  switch (obstacle?.kind) {
    case "outside":
      return outside(specifier);
    case "unreadable":
      return refused("FILE_UNREADABLE", `"${specifier}" cannot be read: ${obstacle.reason}.`);
    case "not-json":
      return refused(
        "FILE_UNREADABLE",
        `${obstacle.path}, which says what "${specifier}" is, holds no JSON object. Mend it, or install the package again.`,
      );
    default:
  }
  if (specifier.startsWith(".")) {
    // A regular file of this name would have been found.
    const isThere = files.locate(posix.join(posix.dirname(importer), written)).kind === "inside";
    const why = isThere ? "is no regular file, and no folder with an index" : "is not there";
    return refused("IMPORT_MISSING", `"${specifier}" ${why}. Paths are relative to ${importer}.`);
  }
  if (specifier.startsWith("#")) return refused("IMPORT_MISSING", `"${specifier}" stands in no "imports" of a package.json.`);
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (name === "") return refused("IMPORT_MISSING", `"${specifier}" names nothing. Write the path of a file, or the name of a package.`);
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

function createLibrary(fileSystem: LibraryFileSystem, style: ImportRequest["style"], isPackage: boolean): Library {
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
