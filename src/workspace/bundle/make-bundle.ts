/** Makes one bundle: which files go in, what the bundler says of them, and what comes out. */
import { createHash } from "node:crypto";
import { type FindingCode, isFindingCode, type Place, type Problem } from "../../core/problem.ts";
import { cutText } from "../../core/text.ts";
import { decodeText } from "../decode-text.ts";
import type { InsideFile } from "../inside-file.ts";
import { AWAIT_TEXT } from "../parse-text.ts";
import { placeWithLines } from "../position.ts";
import {
  type BundlerMessage,
  type ImportFault,
  type ImportRequest,
  type LoadAnswer,
  MODULE_NAMESPACE,
  type ResolveAnswer,
} from "./bundle-protocol.ts";
import type { BundleHandlers, BundleService } from "./bundle-service.ts";
import { findModuleEntry } from "./module-entry.ts";
import { type BundleInputs, isPackagePath, MAX_MODULE_BYTES, type ModuleFiles } from "./module-files.ts";
import { loaderOf, unknownKindText } from "./module-kind.ts";
import { createModuleResolver } from "./module-resolver.ts";
import { problemAt, refusedProblem } from "./unparsed.ts";

/** Most files in one bundle; a package of icons or languages has about a thousand. */
const MAX_FILES = 5_000;

/** Most imports of one bundle that are followed; each costs the server a look at some files. */
const MAX_IMPORTS = 50_000;

/** Most bytes of all files that are read for one bundle; what of them is not used is left out of it. */
const MAX_INPUT_BYTES = 32 * 1_048_576;

/** A script that is a module: TypeScript, or JavaScript that imports something. */
export interface ModuleScript {
  /** Path relative to the workspace. */
  readonly file: string;
  /** SHA-256 of its bytes, in hex. */
  readonly sha256: string;
  readonly text: string;
  readonly language: "js" | "ts";
}

/** A script and all it imports as one text. */
export interface Bundle {
  /** Body of a function that defines `$main`. */
  readonly source: string;
  readonly map: string;
  /** Texts of the files that are the author's own, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A bundle, or why there is none. `isLasting`: the same files give the same. `isLate`: its time was over. */
export type MadeBundle =
  | { readonly kind: "good"; readonly bundle: Bundle; readonly inputs: BundleInputs }
  | {
      readonly kind: "bad";
      readonly problem: Problem;
      readonly inputs: BundleInputs;
      readonly isLasting: boolean;
      readonly isLate?: boolean;
    };

/** What making a bundle needs. */
export interface MakeBundleOptions {
  readonly root: string;
  readonly files: ModuleFiles;
  readonly service: BundleService;
  /** Largest bundle, in bytes. */
  readonly maxBytes: number;
}

/** Bundles a script. Rejects by a fault of this program only. */
export async function makeBundle(module: ModuleScript, options: MakeBundleOptions): Promise<MadeBundle> {
  const reading = createReading(module, options);
  const bad = (problem: Problem): MadeBundle => ({ kind: "bad", problem, inputs: reading.inputs, isLasting: true });
  const broken = ({ kind, reason }: { readonly kind: "late" | "broken"; readonly reason: string }): MadeBundle => {
    return { kind: "bad", problem: brokenProblem(module.file, reason), inputs: reading.inputs, isLasting: false, isLate: kind === "late" };
  };
  const entry = await findEntry(module, options.service);
  if (entry.kind === "missing-main") {
    const line = module.text.slice(0, module.text.length - module.text.trimStart().length).split("\n").length;
    const place = placeWithLines(module.file, module.text, line, 1);
    return bad({ code: "MAIN_MISSING", severity: "error", place, message: entry.message });
  }
  if (entry.kind === "late" || entry.kind === "broken") return broken(entry);
  // A text with a fault is bundled all the same, since the bundler tells best where the fault is.
  const outcome = await options.service.build(module.file, entry.kind === "found" ? entry.tail : "", reading.handlers);
  switch (outcome.kind) {
    case "late":
    case "broken":
      return broken(outcome);
    case "failed":
      return bad(toProblem(outcome.errors, module.file, reading.texts));
    case "built": {
      const meta = outcome.warnings.find(({ code, place }) => code === "empty-import-meta" && place && !isPackagePath(place.file));
      if (meta !== undefined) return bad(toProblem([meta], module.file, reading.texts));
      const { code, map, refusal } = outcome;
      const { file } = module;
      if (refusal !== "") return bad(refusedProblem(refusal, { code, map, file, texts: reading.texts }));
      if (entry.kind === "unread") return bad(entry.problem);
      const source = `${code}\nconst $main = $tool.${entry.member};`;
      const bytes = Buffer.byteLength(source);
      if (bytes > options.maxBytes) {
        const message = `${module.file} and what it imports have ${bytes} bytes together; at most ${options.maxBytes} run ("bundleBytes"). Import less, such as single functions of a package.`;
        return bad({ code: "FILE_TOO_LARGE", severity: "error", place: { kind: "file", file: module.file }, message });
      }
      return { kind: "good", bundle: { source, map, texts: reading.texts }, inputs: reading.inputs };
    }
  }
}

type FoundEntry =
  | { readonly kind: "found"; readonly member: "default" | "main"; readonly tail: string }
  | { readonly kind: "missing-main"; readonly message: string }
  /** The bundler may take it, and yet it is no module in which an entry could be found. */
  | { readonly kind: "unread"; readonly problem: Problem }
  | { readonly kind: "late"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string };

async function findEntry({ file, text, language }: ModuleScript, service: BundleService): Promise<FoundEntry> {
  const stripped = language === "ts" ? await service.strip(file, text) : { kind: "stripped" as const, code: text };
  const texts = new Map([[file, text]]);
  switch (stripped.kind) {
    case "late":
    case "broken":
      return stripped;
    case "failed":
      return { kind: "unread", problem: toProblem(stripped.errors, file, texts) };
    case "stripped": {
      const entry = findModuleEntry(stripped.code);
      if (entry.ok) return { kind: "found", member: entry.member, tail: entry.tail };
      if (entry.kind === "missing-main") return { kind: "missing-main", message: entry.message };
      return { kind: "unread", problem: problemAt(entry.offset, entry.message, { ...stripped, file, texts }) };
    }
  }
}

interface Reading {
  readonly handlers: BundleHandlers;
  readonly inputs: Map<string, string>;
  readonly texts: Map<string, string>;
}

function createReading(module: ModuleScript, { root, files }: MakeBundleOptions): Reading {
  const inputs = new Map<string, string>();
  const texts = new Map<string, string>();
  let bytes = 0;
  let loaded = 0;
  let imports = 0;
  const note = (path: string, content: string): void => {
    if (!inputs.has(path)) inputs.set(path, content);
  };
  const resolver = createModuleResolver({ root, files, onLook: note });
  const read = (path: string): InsideFile => {
    const { file, content } = files.read(path);
    note(path, content);
    return file;
  };
  const load = (path: string, type: string): LoadAnswer => {
    // These bytes were judged already, and are those of which the hash is known.
    if (path === module.file) return { kind: "text", contents: module.text, loader: module.language };
    const loader = loaderOf(path, type);
    if (loader === undefined) return refused("IMPORT_UNSUPPORTED", unknownKindText(path, type));
    const file = read(path);
    if (file.kind !== "read") return unread(path, file);
    bytes += file.bytes.length;
    loaded += 1;
    if (loaded > MAX_FILES || bytes > MAX_INPUT_BYTES) {
      return refused("FILE_TOO_LARGE", `What is imported here is more than ${MAX_FILES} files or ${MAX_INPUT_BYTES} bytes. Import less.`);
    }
    const decoded = decodeText(file.bytes);
    if (decoded.kind === "not-text") return refused("FILE_UNREADABLE", `${path} cannot be read: ${decoded.reason}.`);
    if (!isPackagePath(path)) texts.set(path, decoded.text);
    return { kind: "text", contents: decoded.text, loader };
  };
  texts.set(module.file, module.text);
  const sent = new Set<string>();
  const resolve = (request: ImportRequest): ResolveAnswer => {
    imports += 1;
    if (imports > MAX_IMPORTS) return refused("FILE_TOO_LARGE", `Here are more than ${MAX_IMPORTS} imports. Import less.`);
    const answer = resolver.resolve(request);
    if (answer.kind !== "module" || sent.has(`${answer.path} ${request.type}`)) return answer;
    sent.add(`${answer.path} ${request.type}`);
    return { ...answer, load: load(answer.path, request.type) };
  };
  return { handlers: { resolve, load }, inputs, texts };
}

function unread(path: string, file: Exclude<InsideFile, { kind: "read" }>): ImportFault {
  switch (file.kind) {
    case "missing":
      return refused("IMPORT_MISSING", `${path} is not there.`);
    case "outside":
      return refused("IMPORT_OUTSIDE", `${path} leads out of the workspace, or into a hidden folder of it.`);
    case "not-a-file":
      return refused("IMPORT_MISSING", `${path} is not a regular file.`);
    case "too-large":
      return refused("FILE_TOO_LARGE", `${path} has ${file.bytes} bytes; at most ${MAX_MODULE_BYTES} of one file are imported.`);
    case "unreadable":
      return refused("FILE_UNREADABLE", `${path} cannot be read: ${file.reason}.`);
  }
}

function refused(code: ImportFault["code"], text: string): ImportFault {
  return { kind: "refused", code, text };
}

/** The first fault, in the words of this program. */
function toProblem(errors: readonly BundlerMessage[], file: string, texts: ReadonlyMap<string, string>): Problem {
  const { text, code, place } = errors[0] ?? { text: "It could not be bundled", code: "" };
  const told = plainText(text).replace(/:$/, "");
  return {
    code: codeOf(code),
    severity: "error",
    place: place === undefined ? { kind: "file", file } : toPlace(place, texts),
    message: /[.)]$/.test(told) ? told : `${told}.`,
  };
}

function codeOf(code: string): FindingCode {
  if (code === "empty-import-meta") return "IMPORT_UNSUPPORTED";
  return isFindingCode(code) ? code : "SYNTAX";
}

function plainText(text: string): string {
  if (/^Top-level await is currently not supported/.test(text)) return "await works inside an async function only; put it into main().";
  if (/^Cannot use "await" as an identifier/.test(text)) return AWAIT_TEXT;
  if (/^"import\.meta" is not available/.test(text))
    return "import.meta is not there in scripts; what a tool needs to know stands in g.config.";
  return text.replaceAll(`${MODULE_NAMESPACE}:`, "");
}

function toPlace({ file, line, column, lineText }: NonNullable<BundlerMessage["place"]>, texts: ReadonlyMap<string, string>): Place {
  const units = Buffer.from(lineText).subarray(0, column).toString("utf8").length + 1;
  const text = texts.get(file);
  if (text !== undefined) {
    const lines = text.split(/\r\n|\n|\r/);
    // A fault at the end of a file can be told behind what the bundler was given after it.
    if (line > lines.length) return placeWithLines(file, text, lines.length, (lines.at(-1) ?? "").length + 1);
    return placeWithLines(file, text, line, units);
  }
  return { kind: "position", file, line, column: units, sourceLine: cutText(lineText, 2_000) };
}

/** The outcome where making a bundle failed by a fault of this program; the log has it. */
export function unmade(file: string): MadeBundle {
  return {
    kind: "bad",
    problem: brokenProblem(file, "met what nobody foresaw, which the server's log tells"),
    inputs: new Map(),
    isLasting: false,
  };
}

function brokenProblem(file: string, reason: string): Problem {
  return {
    code: "BUNDLE",
    severity: "error",
    place: { kind: "file", file },
    message: `${file} could not be put together with its imports: the process for it ${reason.replace(/\.$/, "")}.`,
    mend: "Nest the code less deep, or import less. Saving the file, or ReloadWorkspaceTools, tries again.",
  };
}

/** A name for exactly these files, put together in this way. `way` names the versions and settings that decide the result. */
export function bundleKey(module: ModuleScript, inputs: BundleInputs, way: string): string {
  const sorted = [...inputs].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([way, module.file, module.sha256, sorted]))
    .digest("hex");
}
