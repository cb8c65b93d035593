/** What a script uses in place of a module of Node. */
import { builtinModules } from "node:module";

const ADVICE: Readonly<Record<string, string>> = {
  fs: "scripts have no files: import a file of the workspace (JSON or text), or take its content as an argument (g.tool.args)",
  http: "use g.http.makeHttpRequest or fetch",
  net: "use g.http.makeHttpRequest or fetch; there are no other connections",
  crypto: "use crypto.randomUUID() and crypto.getRandomValues(), which are there without an import",
  url: "use URL and URLSearchParams, which are there without an import",
  util: "use TextEncoder, TextDecoder and structuredClone, which are there without an import",
  timers: "use setTimeout, which is there without an import, or g.run.sleep(ms)",
  buffer: "use Uint8Array, TextEncoder, atob and btoa, which are there without an import",
  process: "use g.config for settings and g.run for facts of the call; there is no process",
  child_process: "scripts start no programs; do that outside, and let the tool call it with g.http.makeHttpRequest",
  events: "install the package of this name from npm, or use plain callbacks",
  path: 'join text with "/", or install the package path-browserify',
  stream: "answers come whole: use (await g.http.makeHttpRequest(…)).text()",
  console: "use g.log or console, which is there without an import",
  module: "write the import with its path in quotes",
};

/** Modules of Node that stand for another one of the table. */
const SAME: Readonly<Record<string, string>> = {
  https: "http",
  http2: "http",
  tls: "net",
  dgram: "net",
  dns: "net",
  os: "process",
  worker_threads: "child_process",
  cluster: "child_process",
  querystring: "url",
  string_decoder: "util",
  zlib: "stream",
  readline: "stream",
  assert: "util",
  perf_hooks: "timers",
  v8: "process",
  vm: "process",
};

/** Modules that are on npm under the same name, in a form that runs without Node. */
const ON_NPM: ReadonlySet<string> = new Set(["assert", "buffer", "events", "punycode", "querystring", "string_decoder", "url", "util"]);

/** True for a module of Node, with "node:" before its name or without. */
export function isBuiltin(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

/** What is said of an import of one. `byPackage`: it is a package of node_modules that imports it. */
export function builtinText(specifier: string, byPackage: boolean): string {
  const plain = specifier.replace(/^node:/, "").split("/")[0] ?? "";
  const advice = ADVICE[SAME[plain] ?? plain] ?? "write it with what g and the language offer";
  const what = `"${specifier}" is a module of Node, which is not there in the sandbox`;
  if (byPackage && ON_NPM.has(specifier)) return `${what}. Run in the workspace: npm install ${specifier}`;
  const elsewhere = byPackage ? " Look for a package, or a build of this one, that does without." : "";
  return `${what}: ${advice}.${elsewhere}`;
}
