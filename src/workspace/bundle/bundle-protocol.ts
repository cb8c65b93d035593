/**
 * What the server and its bundling process say to each other: JSON messages over the channel of Node's child processes.
 * All paths are those of files in the workspace, relative to it, with "/" between folders.
 */

/** Stands before the paths of modules, and a ":" between, in maps and messages of the bundler. The child loads types only and has a copy. */
export const MODULE_NAMESPACE = "toolyard-module";

/** How the text of a module is read. */
export type ModuleLoader = "js" | "ts" | "json" | "text";

/** Why an import cannot be followed; the codes are findings (core/problem.ts). */
export type ImportFaultCode = "IMPORT_OUTSIDE" | "IMPORT_MISSING" | "IMPORT_UNSUPPORTED" | "FILE_TOO_LARGE" | "FILE_UNREADABLE";

/** An import that cannot be followed. */
export interface ImportFault {
  readonly kind: "refused";
  readonly code: ImportFaultCode;
  readonly text: string;
}

/**
 * Where an import leads. `empty`: a package says that it does without this part in browsers. `absent`: a package asks by
 * `require`, and so may be ready for not finding it; the text is thrown there.
 */
export type ResolveAnswer =
  | {
      readonly kind: "module";
      readonly path: string;
      readonly sideEffects: boolean;
      /** Its text, the first time it is met: half of the questions are spared by that. */
      readonly load?: LoadAnswer;
    }
  | { readonly kind: "empty" }
  | { readonly kind: "absent"; readonly text: string }
  | ImportFault;

/** The text of a module. */
export type LoadAnswer = { readonly kind: "text"; readonly contents: string; readonly loader: ModuleLoader } | ImportFault;

/** One import as the bundler meets it. */
export interface ImportRequest {
  readonly specifier: string;
  readonly importer: string;
  readonly style: "import" | "require";
  /** That of `with { type: … }`, "" without one. */
  readonly type: string;
}

/** Messages to the child. `answer` belongs to the question `ask`. */
export type ToBundler =
  | { readonly kind: "strip"; readonly id: number; readonly file: string; readonly contents: string }
  | { readonly kind: "build"; readonly id: number; readonly entry: string; readonly tail: string }
  | { readonly kind: "answer"; readonly ask: number; readonly answer: ResolveAnswer | LoadAnswer };

/** A message of the bundler about a place. `line` counts from 1, `column` from 0 in bytes of UTF-8. */
export interface BundlerMessage {
  readonly text: string;
  /** Code of the fault that we gave it ourselves, or the bundler's own name for a warning. */
  readonly code: string;
  readonly place?: { readonly file: string; readonly line: number; readonly column: number; readonly lineText: string };
}

/** Messages of the child; `id` is that of the work they belong to. */
export type FromBundler =
  | { readonly kind: "resolve"; readonly id: number; readonly ask: number; readonly request: ImportRequest }
  | { readonly kind: "load"; readonly id: number; readonly ask: number; readonly path: string; readonly type: string }
  | { readonly kind: "stripped"; readonly id: number; readonly code: string; readonly map: string }
  | {
      readonly kind: "built";
      readonly id: number;
      readonly code: string;
      readonly map: string;
      readonly warnings: readonly BundlerMessage[];
      /** What V8 says of a bundle that does not parse in the mode it runs in; "" of one that does. */
      readonly refusal: string;
    }
  | { readonly kind: "failed"; readonly id: number; readonly errors: readonly BundlerMessage[] };
