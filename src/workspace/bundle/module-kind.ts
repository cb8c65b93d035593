/** Kinds of files that scripts may import, by the ending of their name. */
import type { ModuleLoader } from "./bundle-protocol.ts";

/** Loaders by ending. Text comes as a string; code is bundled, JSON is parsed. */
const LOADERS: Readonly<Record<string, ModuleLoader>> = {
  js: "js",
  mjs: "js",
  cjs: "js",
  ts: "ts",
  mts: "ts",
  cts: "ts",
  json: "json",
  txt: "text",
  md: "text",
  html: "text",
  htm: "text",
  xml: "text",
  svg: "text",
  css: "text",
  csv: "text",
  tsv: "text",
  sql: "text",
  yaml: "text",
  yml: "text",
  toml: "text",
  graphql: "text",
  gql: "text",
};

/** Names of files whose changes can matter to a script; a part of a pattern for the end of a name. */
export const IMPORTED_ENDINGS: readonly string[] = Object.keys(LOADERS);

/** The loader of a file, or undefined for a kind that is not read. `type` is that of `with { type: … }`, "" without one. */
export function loaderOf(path: string, type: string): ModuleLoader | undefined {
  if (type === "text") return "text";
  const ending = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  if (!Object.hasOwn(LOADERS, ending)) return undefined;
  return type === "" || type === "json" ? LOADERS[ending] : undefined;
}

/** What is said of a file that is no module. */
export function unknownKindText(path: string, type: string): string {
  if (type !== "" && type !== "json") return `type "${type}" cannot be imported; there are "json" and "text".`;
  if (path.endsWith(".node") || path.endsWith(".wasm")) {
    return `${path} is native code, which cannot run in the sandbox. Look for a package that is plain JavaScript.`;
  }
  const kinds = "JavaScript, TypeScript, JSON and text";
  return `${path} is of a kind that cannot be imported (${kinds} can). For its text write: with { type: "text" }.`;
}
