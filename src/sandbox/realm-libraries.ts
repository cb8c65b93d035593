/**
 * The packages behind the web's `URL` as texts for the realm: the modules it needs, each a function that runs when it is
 * first asked for. Read as they are installed; no bundler, and nothing of them runs here.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Where reading begins: the algorithms of the URL standard, without the classes around them. */
const ENTRIES = ["whatwg-url/lib/url-state-machine.js", "whatwg-url/lib/urlencoded.js"];

/** Names of hosts in other scripts than Latin. Few calls need it, and it is larger than the rest together. */
const LATE = "tr46";

/** Modules the realm gives itself (guest/library.js): it has text and bytes already, and `LATE` when it is asked for. */
const BUILT_IN: ReadonlySet<string> = new Set(["./encoding", "@exodus/bytes/encoding.js", "@exodus/bytes/whatwg.js", LATE]);

/** Texts of both parts. */
export interface Libraries {
  /** Declares `libraryModules`, a list of {links, run}, and `libraryEntries`, the numbers of the entries by name. */
  readonly code: string;
  /** Body of a function that gives the list of modules for host names, the first of them the entry. */
  readonly hostNames: string;
}

interface Module {
  readonly text: string;
  /** By what `require` is given: the number of a module, or a name that the realm knows. */
  readonly links: Readonly<Record<string, number | string>>;
}

/** Reads all modules. Throws the file system's error if the installation is incomplete. */
export function readLibraries(): Libraries {
  const require = createRequire(import.meta.url);
  const paths = ENTRIES.map((entry) => require.resolve(entry));
  const modules = readModules(paths);
  const entries = Object.fromEntries(ENTRIES.map((entry, index) => [entry, modules.numbers.get(paths[index] ?? "")]));
  // Resolved from the package that depends on it: a package manager need not put it beside us.
  const hostNames = readModules([createRequire(require.resolve("whatwg-url")).resolve(LATE)]);
  return {
    code: `const libraryEntries = ${JSON.stringify(entries)};\nconst libraryModules = ${modules.text};`,
    hostNames: `"use strict";\nreturn ${hostNames.text};`,
  };
}

function readModules(paths: readonly string[]): { readonly text: string; readonly numbers: ReadonlyMap<string, number> } {
  const modules: Module[] = [];
  const numbers = new Map<string, number>();
  const add = (path: string): number => {
    const known = numbers.get(path);
    if (known !== undefined) return known;
    const number = modules.push({ text: "", links: {} }) - 1;
    numbers.set(path, number);
    const text = readFileSync(path, "utf8");
    modules[number] = path.endsWith(".json") ? { text: jsonModule(text), links: {} } : { text, links: linksOf(path, text, add) };
    return number;
  };
  for (const path of paths) add(path);
  const texts = modules.map(
    ({ text, links }) => `{ __proto__: null, links: ${JSON.stringify(links)}, run(module, exports, require) {\n${text}\n} }`,
  );
  return { text: `[\n${texts.join(",\n")}\n]`, numbers };
}

/** A table is parsed as JSON: as a literal it would be compiled. */
function jsonModule(text: string): string {
  return `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(text)))});`;
}

function linksOf(path: string, text: string, add: (path: string) => number): Module["links"] {
  const require = createRequire(path);
  const links: Record<string, number | string> = {};
  for (const [, specifier = ""] of text.matchAll(/\brequire\("([^"]+)"\)/g)) {
    links[specifier] = BUILT_IN.has(specifier) ? specifier : add(require.resolve(specifier));
  }
  return links;
}
